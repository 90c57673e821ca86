//! The scoreboard annotations of instructions on newer generations: what they wait for, and how others wait
//! for them.

/// An in-order pipe whose instructions a distance counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipe {
    Float,
    Integer,
    Long,
    Math,
    Scalar,
}

/// The instructions that a distance counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Those of the pipe that the types of the sources imply (`@1`).
    Implied,
    /// Those of each pipe separately (`A@1`).
    All,
    /// Those of one pipe (`F@1`).
    Of(Pipe),
}

/// A token of the scoreboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// The instruction holds it until it has read its sources and written its destination (`$3`).
    Holds(u8),
    /// It waits until the holder has read its sources (`$3.src`).
    WaitsForSources(u8),
    /// It waits until the holder has written its destination (`$3.dst`).
    WaitsForDestination(u8),
}

/// An instruction's annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotation {
    /// The instruction waits for all instructions that are at least this far back.
    pub(crate) distance: Option<(Counted, u8)>,
    pub(crate) token: Option<Token>,
    /// It does not wait for the accumulator (`NoAccSBSet`).
    pub(crate) without_accumulator: bool,
}

impl Annotation {
    /// Parses the options between braces that concern the scoreboard.
    pub(crate) fn parse(options: &str) -> Result<Self, String> {
        let mut annotation = Self::default();
        for option in options.split(',').map(str::trim) {
            let bad = || format!("not supported: annotation {option}");
            if let Some(token) = option.strip_prefix('$') {
                let (number, part) = token.split_once('.').unwrap_or((token, ""));
                let number = number.parse::<u8>().ok().filter(|&n| n < 32).ok_or_else(bad)?;
                let token = match part {
                    "" => Token::Holds(number),
                    "src" => Token::WaitsForSources(number),
                    "dst" => Token::WaitsForDestination(number),
                    _ => return Err(bad()),
                };
                if annotation.token.replace(token).is_some() {
                    return Err(bad());
                }
            } else if let Some((pipe, distance)) = option.split_once('@') {
                let counted = match pipe {
                    "" => Counted::Implied,
                    "A" => Counted::All,
                    "F" => Counted::Of(Pipe::Float),
                    "I" => Counted::Of(Pipe::Integer),
                    "L" => Counted::Of(Pipe::Long),
                    "M" => Counted::Of(Pipe::Math),
                    "S" => Counted::Of(Pipe::Scalar),
                    _ => return Err(bad()),
                };
                let distance = distance.parse().ok().filter(|distance| (1..8).contains(distance));
                if annotation.distance.replace((counted, distance.ok_or_else(bad)?)).is_some() {
                    return Err(bad());
                }
            } else if option == "NoAccSBSet" {
                annotation.without_accumulator = true;
            }
        }
        Ok(annotation)
    }
}
