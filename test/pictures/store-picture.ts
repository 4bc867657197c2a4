import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

/** This many of the 3000 colours of a screen are kept: its surfaces, lines and signs, and the usual shades of its letters. */
const MAX_COLOURS = 128;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Points {
  width: number;
  height: number;
  /** One colour per point, `0xrrggbb`. */
  colours: Uint32Array;
}

/**
 * The picture in its stored form: half the width and height, in few colours, as a PNG with a palette; a tenth of its size.
 * The result is deterministic. With the colours of an earlier stored picture, unchanged parts stay equal, whatever else
 * has changed.
 */
export function storePicture(png: Buffer, like?: Buffer): Buffer {
  const points = halve(PNG.sync.read(png));
  return inFewColours(points, like ? coloursOf(like) : chooseColours(points.colours));
}

/** The picture in its whole size and in few colours, for documents. */
export function shrinkPicture(png: Buffer): Buffer {
  const { data, height, width } = PNG.sync.read(png);
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at += 1) colours[at] = data.readUInt32BE(at * 4) >>> 8;
  return inFewColours({ width, height, colours }, chooseColours(colours));
}

function inFewColours(points: Points, palette: readonly number[]): Buffer {
  const nearest = new Map<number, number>();
  const lines = Buffer.alloc((points.width + 1) * points.height);
  points.colours.forEach((colour, at) => {
    let index = nearest.get(colour);
    if (index === undefined) {
      index = nearestOf(palette, colour);
      nearest.set(colour, index);
    }
    // Each line begins with its filter: none.
    lines[Math.floor(at / points.width) * (points.width + 1) + 1 + (at % points.width)] = index;
  });
  return encode(points, palette, lines);
}

/** Replaces each four points by one of their mean colour. */
function halve({ width, height, data }: PNG): Points {
  const half = { width: Math.floor(width / 2), height: Math.floor(height / 2) };
  const colours = new Uint32Array(half.width * half.height);
  for (let y = 0; y < half.height; y += 1)
    for (let x = 0; x < half.width; x += 1) {
      const at = (2 * y * width + 2 * x) * 4;
      const mean = (part: number): number => {
        const [one = 0, two = 0] = [data[at + part], data[at + 4 + part]];
        const [three = 0, four = 0] = [data[at + width * 4 + part], data[at + width * 4 + 4 + part]];
        return (one + two + three + four + 2) >> 2;
      };
      colours[y * half.width + x] = (mean(0) << 16) | (mean(1) << 8) | mean(2);
    }
  return { ...half, colours };
}

/**
 * The colours that cause the smallest error when all others are replaced by the nearest of them: each next one has the
 * largest weight, from its points and its distance to those before it. A red dot stays red beside a thousand greys.
 */
function chooseColours(points: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const colour of points) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const left = [...counts].map(([colour, count]) => ({ colour, count, distance: Number.POSITIVE_INFINITY }));
  left.sort((one, other) => other.count - one.count || one.colour - other.colour);
  const chosen: number[] = [];
  let next = left[0];
  while (next && next.distance > 0 && chosen.length < MAX_COLOURS) {
    const { colour } = next;
    chosen.push(colour);
    next.distance = 0;
    for (const one of left) {
      one.distance = Math.min(one.distance, distanceBetween(one.colour, colour));
      if (one.distance * one.count > next.distance * next.count) next = one;
    }
  }
  return chosen;
}

/** The colours of a stored picture. */
function coloursOf(stored: Buffer): number[] {
  const { data } = PNG.sync.read(stored);
  const colours = new Set<number>();
  for (let at = 0; at < data.length; at += 4) colours.add(data.readUInt32BE(at) >>> 8);
  return [...colours];
}

const partsOf = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];

function distanceBetween(one: number, other: number): number {
  const [red, green, blue] = partsOf(one);
  const [r, g, b] = partsOf(other);
  return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
}

function nearestOf(palette: readonly number[], colour: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  palette.forEach((one, index) => {
    const distance = distanceBetween(one, colour);
    // Of two equally near colours the darker one, whatever their order in the palette.
    if (distance < least || (distance === least && one < (palette[best] ?? 0))) [best, least] = [index, distance];
  });
  return best;
}

/** PNG with a palette (PNG specification 11.2, 11.3): `pngjs` reads these but does not write them. */
function encode({ width, height }: Points, palette: readonly number[], lines: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per point: an index into the palette.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
