// Makes a screenshot small: a PNG with a palette of 256 colours in place of
// true colours. Edges of text have thousands of shades, so shades that differ
// by less than an eye can see share one entry; the common colours stay exact.
import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const COLOURS_MAX = 256;

/** The PNG made small, and the most by which any channel of any pixel differs, of 255. */
export function smallPng(png) {
  const { width, height, pixels } = decode(png);
  const { palette, places, difference } = sharedColours(pixels);
  const rows = Buffer.alloc((width + 1) * height); // each row begins with 0: no filter
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) rows[y * (width + 1) + 1 + x] = places.get(colourAt(pixels, at));
  }
  return { png: encode(width, height, palette, rows), difference };
}

/** Pixels as RGBA. Reads what browsers write: 8 bits a channel, RGB or RGBA, not interlaced. */
export function decode(png) {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("this is no PNG");
  const data = [];
  let header;
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const name = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (name === "IHDR") header = body;
    if (name === "IDAT") data.push(body);
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9]];
  if (header[8] !== 8 || !channels || header[12] !== 0) throw new Error("this kind of PNG is not read here");
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  return { width, height, pixels: channels === 4 ? bytes : withAlpha(bytes) };
}

function unfiltered(raw, stride, height, channels) {
  const out = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = row * stride + x;
      const left = x >= channels ? out[at - channels] : 0;
      const up = row > 0 ? out[at - stride] : 0;
      const corner = x >= channels && row > 0 ? out[at - stride - channels] : 0;
      out[at] = raw[row * (stride + 1) + 1 + x] + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter, left, up, corner) {
  if (filter < 4) return [0, left, up, (left + up) >> 1][filter];
  const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function withAlpha(bytes) {
  const out = Buffer.alloc((bytes.length / 3) * 4, 255);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) bytes.copy(out, to, from, from + 3);
  return out;
}

const colourAt = (pixels, at) => (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
const channelsOf = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];

/** The closest sharing that 256 colours allow: commonest first, a colour is its own entry unless one is near enough. */
function sharedColours(pixels) {
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = colourAt(pixels, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => channelsOf(colour));
  for (let difference = 0; ; difference += 1) {
    const shared = share(colours, difference);
    if (shared.palette.length <= COLOURS_MAX) return { ...shared, difference };
  }
}

function share(colours, difference) {
  const palette = [];
  const places = new Map();
  for (const [red, green, blue] of colours) {
    const isNear = ([r, g, b]) => Math.abs(r - red) <= difference && Math.abs(g - green) <= difference && Math.abs(b - blue) <= difference;
    const place = palette.findIndex(isNear);
    places.set((red << 16) | (green << 8) | blue, place < 0 ? palette.push([red, green, blue]) - 1 : place);
  }
  return { palette, places };
}

function encode(width, height, palette, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // 8 bits, by palette
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE, chunk("IHDR", header), chunk("PLTE", Buffer.from(palette.flat())), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name, body) {
  const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), named.length + 4);
  return out;
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
