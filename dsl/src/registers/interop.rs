//! Interchange with version 1 of [`generic_array`], for code that computes lengths in types. It is a separate
//! feature: users who do not enable it neither build that crate nor depend on its versions.

use generic_array::{ArrayLength, GenericArray};

use super::objects::Vector;
use crate::elem::Elem;
use crate::limits::{Count, Fits, Len, Shape};

impl<T: Elem, const N: usize, L: ArrayLength> From<GenericArray<T, L>> for Vector<T, N>
where
    Len<N>: Count<UInt = L>,
    Shape<1, N>: Fits<T>,
{
    /// ```
    /// use generic_array::arr;
    /// use cm::prelude::*;
    /// let v: Vector<u8, 3> = arr![1u8, 2, 3].into();
    /// assert_eq!(v.to_array(), [1, 2, 3]);
    /// ```
    fn from(elements: GenericArray<T, L>) -> Self {
        Self::from_array(std::array::from_fn(|i| elements[i]))
    }
}

impl<T: Elem, const N: usize, L: ArrayLength> From<Vector<T, N>> for GenericArray<T, L>
where
    Len<N>: Count<UInt = L>,
{
    fn from(vector: Vector<T, N>) -> Self {
        GenericArray::from_iter(vector.to_array())
    }
}
