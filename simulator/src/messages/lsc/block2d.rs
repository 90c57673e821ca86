//! Rectangles of elements in memory, optionally transposed.

use super::access::{Data, block_offsets, data_at, number};
use super::caching;
use super::unit::{Kind, Unit};
use crate::dispatch::Prefetch;
use crate::generation::Generation;
use crate::isa::{Registers, Trouble};
use crate::messages::message::Message;
use crate::messages::port::Port;

/// The order of elements in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Rows,
    /// Column by column.
    Transposed,
    /// The elements of a column that form a dword are adjacent, as `dpas` needs its factors (VNNI).
    Packed,
}

/// The blocks of a message, side by side in memory.
struct Blocks {
    base: u64,
    /// Bytes of a row in memory, rows, and bytes from one row to the next.
    bytes: i64,
    rows: i64,
    pitch: i64,
    /// The column of the first element of the first block, and its row.
    x: i64,
    y: i64,
    /// Elements of a row of a block, rows, and the number of blocks.
    width: usize,
    height: usize,
    count: usize,
    /// Bytes of an element.
    size: usize,
    order: Order,
    /// Bytes of a register.
    register: usize,
}

/// An element: its position in registers, and its column and row in memory.
struct Element {
    at: usize,
    x: i64,
    y: i64,
}

impl Blocks {
    fn of(message: &Message<'_>, kind: Kind) -> Result<Self, Trouble> {
        if message.generation < Generation::XeHpc {
            return Err(message.bad("2-D blocks of memory, which this generation does not have"));
        }
        if message.width != 1 {
            return Err(message.bad("a 2-D block of more than one channel"));
        }
        caching::check(message, Unit::Untyped, kind)?;
        let order = match (message.fields.bits(15, 1), message.fields.bits(7, 1)) {
            (0, 0) => Order::Rows,
            (1, 0) => Order::Transposed,
            (0, _) => Order::Packed,
            _ => return Err(message.bad("not supported: 2-D blocks that are transposed and packed")),
        };
        let data = Data::of(message)?;
        if data.memory != data.register {
            return Err(message.bad("not supported: 2-D blocks of elements that become dwords"));
        }
        let dword = |at: usize| Ok(number(message.bytes(at * 4, 4)?) as u32);
        let (across, down) = block_offsets(message)?;
        let (shape, one_more) = (dword(7)?, |n: u32| i64::from(n) + 1);
        let blocks = Self {
            base: number(message.bytes(0, 8)?),
            bytes: one_more(dword(2)?),
            rows: one_more(dword(3)?),
            pitch: one_more(dword(4)?),
            x: i64::from(dword(5)?.cast_signed()) + across,
            y: i64::from(dword(6)?.cast_signed()) + down,
            width: (shape & 0xff) as usize + 1,
            height: (shape >> 8 & 0xff) as usize + 1,
            count: (shape >> 16 & 0xf) as usize + 1,
            size: data.memory,
            order,
            register: message.generation.register_bytes(),
        };
        blocks.check(kind).map_err(|why| message.bad(why))?;
        Ok(blocks)
    }

    /// The limits of the hardware.
    fn check(&self, kind: Kind) -> Result<(), String> {
        let Self { base, bytes, rows, pitch, x, width, height, count, size, order, .. } = *self;
        let row = width * size;
        let limits = [
            (base % 64 == 0, format!("a base address of {base:#x}, which is not a multiple of 64")),
            (
                (64..=1 << 24).contains(&bytes) && bytes % 4_i64.max(size as i64) == 0,
                format!("rows of {bytes} bytes, which are no multiple of 4 from 64 on"),
            ),
            (rows <= 1 << 24, format!("{rows} rows")),
            (
                pitch >= bytes && pitch % 16 == 0 && pitch <= 1 << 24,
                format!("a pitch of {pitch} bytes, which are no multiple of 16 or less than a row's {bytes}"),
            ),
            (
                x * size as i64 % 4 == 0,
                format!("a block at element {x}, which is not at a multiple of 4 bytes"),
            ),
            (row % 4 == 0, format!("blocks of {row} bytes, which are no multiple of 4")),
            (row * count <= 64, format!("{count} blocks of {row} bytes, which are more than 64 together")),
            (matches!(count, 1 | 2 | 4), format!("{count} blocks")),
            (
                kind == Kind::Load || count == 1 && height <= 8 && order == Order::Rows,
                format!("a store of {count} blocks of {height} rows in the order {order:?}"),
            ),
            (height <= 32, format!("blocks of {height} rows")),
            (
                order != Order::Transposed
                    || count == 1 && (size == 4 && width <= 8 || size == 8 && width <= 4 && height == 8),
                format!("a transposed block of {width} by {height} elements of {size} bytes"),
            ),
            (
                order != Order::Packed
                    || size < 4 && width >= 4 / size && width <= 16 && height % (4 / size) == 0,
                format!("a packed block of {width} by {height} elements of {size} bytes"),
            ),
        ];
        match limits.into_iter().find(|(holds, _)| !holds) {
            Some((_, why)) => Err(why),
            None if self.registers() > 32 => Err(format!("blocks of {} registers", self.registers())),
            None => Ok(()),
        }
    }

    /// Elements from one row to the next in registers, and the number of rows there.
    fn rows_of_registers(&self) -> (usize, usize) {
        match self.order {
            Order::Rows => (self.width.next_power_of_two(), self.height),
            Order::Transposed => (self.height.next_power_of_two(), self.width),
            Order::Packed => {
                (self.width.next_power_of_two() * (4 / self.size), self.height / (4 / self.size))
            }
        }
    }

    /// Bytes of a block in registers: whole registers.
    fn block_bytes(&self) -> usize {
        let (pitch, rows) = self.rows_of_registers();
        (pitch * rows * self.size).next_multiple_of(self.register)
    }

    fn registers(&self) -> usize {
        self.count * self.block_bytes() / self.register
    }

    fn elements(&self) -> impl Iterator<Item = Element> + '_ {
        let (pitch, _) = self.rows_of_registers();
        let dword = (4 / self.size).max(1);
        let block = self.width * self.height;
        (0..self.count * block).map(move |n| {
            let (number, x, y) = (n / block, n % self.width, n % block / self.width);
            let index = match self.order {
                Order::Rows => y * pitch + x,
                Order::Transposed => x * pitch + y,
                Order::Packed => y / dword * pitch + x * dword + y % dword,
            };
            Element {
                at: number * self.block_bytes() + index * self.size,
                x: self.x + (number * self.width + x) as i64,
                y: self.y + y as i64,
            }
        })
    }

    /// Reports the bytes of a prefetch, row by row.
    fn prefetch(&self, port: &Port<'_>) {
        let inside = |x: i64| x.clamp(0, self.bytes);
        let (first, count) = (self.x * self.size as i64, (self.count * self.width * self.size) as i64);
        let (start, end) = (inside(first), inside(first + count));
        for y in (self.y..self.y + self.height as i64).filter(|y| (0..self.rows).contains(y) && start < end) {
            let address = self.base.wrapping_add_signed(y * self.pitch + start);
            port.around.prefetched(Prefetch { surface: None, address, bytes: (end - start) as usize });
        }
    }

    /// The address of an element in memory; `None` outside of the rows.
    fn address(&self, element: &Element) -> Option<u64> {
        let x = element.x * self.size as i64;
        let inside = (0..self.bytes).contains(&x) && (0..self.rows).contains(&element.y);
        inside.then(|| self.base.wrapping_add_signed(element.y * self.pitch + x))
    }
}

/// Loads blocks; out-of-bounds elements are 0. Without a destination, it is a prefetch.
pub(super) fn load(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let blocks = Blocks::of(message, Kind::Load)?;
    let (given, taken) = (message.fields.response(), blocks.registers());
    if message.mask & 1 == 0 {
        return Ok(());
    }
    if given == 0 {
        blocks.prefetch(port);
        return Ok(());
    }
    // The field cannot represent 32.
    if given != taken.min(31) {
        return Err(message.bad(format!("blocks of {taken} registers in a response of {given}")));
    }
    message.response_of(registers, 0, taken * blocks.register, taken)?.fill(0);
    for element in blocks.elements() {
        if let Some(address) = blocks.address(&element) {
            let span = port.memory(address, blocks.size)?;
            _ = span.read(0, message.response_of(registers, element.at, blocks.size, taken)?);
        }
    }
    Ok(())
}

/// Stores a block. Out-of-bounds writes are dropped.
pub(super) fn store(port: &mut Port<'_>, message: &Message<'_>) -> Result<(), Trouble> {
    let blocks = Blocks::of(message, Kind::Store)?;
    if message.mask & 1 == 0 {
        return Ok(());
    }
    for element in blocks.elements() {
        let bytes = message.bytes(data_at(message) + element.at, blocks.size)?;
        if let Some(address) = blocks.address(&element) {
            _ = port.memory(address, blocks.size)?.write(0, bytes);
        }
    }
    Ok(())
}
