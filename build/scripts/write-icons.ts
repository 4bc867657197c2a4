import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

/**
 * Draws `build/resources/icon.svg` in the sizes and formats of the installers, with the Chromium in HOMEPORT_CHROMIUM.
 * The results are in the repository, so packaging needs no browser.
 */
const at = (file: string): URL => new URL(`../resources/${file}`, import.meta.url);
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const WINDOWS_SIZES = [16, 24, 32, 48, 64, 128, 256];
/** PNG types in Apple's icon format, by size in pixels. */
const APPLE_TYPES: Array<[type: string, size: number]> = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
];

async function draw(): Promise<Map<number, Buffer>> {
  const svg = readFileSync(at('icon.svg'), 'utf8');
  const browser = await chromium.launch({
    executablePath: process.env['HOMEPORT_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const page = await browser.newPage();
  await page.setContent(`<style>* { margin: 0 } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`);
  const pictures = new Map<number, Buffer>();
  for (const size of SIZES) {
    await page.setViewportSize({ width: size, height: size });
    pictures.set(size, await page.screenshot({ omitBackground: true }));
  }
  await browser.close();
  return pictures;
}

function windowsIcon(pictures: Buffer[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  pictures.forEach((picture, index) => {
    const entry = 6 + 16 * index;
    // Width and height are one byte each; 0 means 256.
    head.writeUInt8(picture.readUInt32BE(16) % 256, entry);
    head.writeUInt8(picture.readUInt32BE(20) % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(picture.length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += picture.length;
  });
  return Buffer.concat([head, ...pictures]);
}

function appleIcon(entries: Array<{ type: string; picture: Buffer }>): Buffer {
  const parts = entries.map(({ type, picture }) => {
    const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
    head.writeUInt32BE(picture.length + 8, 4);
    return Buffer.concat([head, picture]);
  });
  const head = Buffer.from('icns\0\0\0\0', 'latin1');
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return Buffer.concat([head, ...parts]);
}

const pictures = await draw();
const picture = (size: number): Buffer => pictures.get(size) ?? Buffer.alloc(0);
mkdirSync(at('icons/'), { recursive: true });
for (const [size, png] of pictures) if (size <= 512) writeFileSync(at(`icons/${size}x${size}.png`), png);
writeFileSync(at('icon.png'), picture(1024));
writeFileSync(at('icon.ico'), windowsIcon(WINDOWS_SIZES.map(picture)));
writeFileSync(at('icon.icns'), appleIcon(APPLE_TYPES.map(([type, size]) => ({ type, picture: picture(size) }))));
