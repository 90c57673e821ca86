//! `#[cfg]` of statements: `test` holds here.

use cm::prelude::*;

/// What it leaves out need not compile.
#[kernel]
fn conditional(output: &mut Buffer<i32>, n: i32) {
    #[cfg(test)]
    let mut sum = Vector::<i32, 4>::splat(n);
    #[cfg(not(test))]
    let mut sum = nothing;
    #[cfg(not(test))]
    for i in 0..4 {
        sum += nothing + i;
    }
    #[cfg(test)]
    for i in 0..4 {
        sum += i;
    }
    #[cfg(not(test))]
    while nothing > 0 {}
    #[cfg(not(test))]
    if n > 3 {
        sum = nothing;
    } else {
        sum += nothing;
    }
    #[cfg(not(test))]
    sum = nothing;
    #[cfg(not(test))]
    sum += nothing;
    #[cfg(test)]
    sum *= 2;
    #[cfg(not(test))]
    sum.assign(nothing);
    #[cfg(not(test))]
    simd_if! { sum > 0 => { sum = nothing; } }
    simd_if! { sum > 0 => {
        #[cfg(not(test))]
        {
            sum = nothing;
        }
        #[cfg(test)]
        {
            sum += 1;
        }
        #[cfg(not(test))]
        for i in 0..4 {
            sum += nothing;
        }
    } }
    match n {
        0 =>
        {
            #[cfg(not(test))]
            match n {
                _ => sum = nothing,
            }
        }
        _ => sum += 3,
    }
    #[cfg(not(test))]
    printf!("{nothing}");
    output.write(0, &sum);
}

#[test]
fn statements_have_conditions() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut output = Buffer::<i32>::new(&device, 4)?;
    for n in [0, 5] {
        conditional::launch(&device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        assert_eq!(output.to_vec()?, [(n + 6) * 2 + 1 + if n == 0 { 0 } else { 3 }; 4]);
    }
    Ok(())
}

/// Variables and values that `#[cfg]` declares anew, or leaves as they are.
#[kernel]
fn declared(output: &mut Buffer<i32>, n: i32) {
    let a = Vector::<i32, 4>::splat(n);
    let mut sum = a;
    simd_if! { a > 1 => {
        #[cfg(test)]
        let mut more = a * 2;
        #[cfg(not(test))]
        let mut more = a * 3;
        more += 1;
        sum += more;
    } }
    for i in 0..n {
        #[cfg(not(test))]
        let mut sum = a;
        sum += i;
    }
    #[cfg(test)]
    let mut x = a;
    #[cfg(not(test))]
    let mut x = a + 1;
    if n > 3 {
        x += 5;
    }
    let t = a * 2 + 1;
    sum.assign(sum + t);
    #[cfg(not(test))]
    let t = a;
    #[cfg(test)]
    let k = 3;
    #[cfg(not(test))]
    let k = n;
    output.write(0, &sum);
    output.write(16, &t);
    output.write(32, &(x * k));
}

#[test]
fn declarations_have_conditions() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut output = Buffer::<i32>::new(&device, 12)?;
    for n in [1, 5] {
        declared::launch(&device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        let t = n * 2 + 1;
        let more = if n > 1 { n * 2 + 1 } else { 0 };
        let sum = n + more + n * (n - 1) / 2 + t;
        let x = if n > 3 { n + 5 } else { n };
        assert_eq!(output.to_vec()?, [[sum; 4], [t; 4], [x * 3; 4]].concat());
    }
    Ok(())
}

#[function]
fn chosen(x: Vector<i32, 4>, n: i32) -> Vector<i32, 4> {
    #[cfg(not(test))]
    {
        x
    }
    #[cfg(test)]
    if n > 2 { x + 4 } else { x - 1 }
}

#[function]
fn doubled(x: Vector<i32, 4>) -> Vector<i32, 4> {
    #[cfg(not(test))]
    {
        nothing
    }
    #[cfg(test)]
    {
        (x * 2).convert()
    }
}

/// Values of arms, of which rustc sees one.
#[kernel]
fn arms(output: &mut Buffer<i32>, n: i32) {
    let x = Vector::<i32, 4>::splat(n);
    let first = if n > 3 {
        #[cfg(test)]
        {
            x * 2
        }
        #[cfg(not(test))]
        {
            x * 3
        }
    } else {
        x + 1
    };
    let mut second = 0;
    second = match n {
        0 => {
            #[cfg(not(test))]
            {
                11
            }
            #[cfg(test)]
            {
                12
            }
        }
        _ => n + 1,
    };
    output.write(0, &first);
    output.write(16, &(chosen(x, n) + second + doubled(x)));
}

#[test]
fn values_have_conditions() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut output = Buffer::<i32>::new(&device, 8)?;
    for n in [0, 5] {
        arms::launch(&device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        let first = if n > 3 { n * 2 } else { n + 1 };
        let second = if n == 0 { 12 } else { n + 1 };
        let chosen = if n > 2 { n + 4 } else { n - 1 };
        assert_eq!(output.to_vec()?, [[first; 4], [chosen + second + n * 2; 4]].concat());
    }
    Ok(())
}
