import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { comparePictures, MAX_DIFFERENCE } from './compare-pictures.ts';
import { differencePage, differenceText, type ShownDifference } from './difference-page.ts';
import { startDrawing } from './draw-screens.ts';
import { drawWindow } from './draw-window.ts';
import { PICTURE_VIEWS, SCHEMES } from './key-screens.ts';
import { shrinkPicture, storePicture } from './store-picture.ts';

const STORED = new URL('stored/', import.meta.url).pathname;
const VERSION_FILE = join(STORED, 'chromium.txt');
/** The pictures of the README, in their whole size. */
const README_PICTURES = ['overview-1280-light', 'overview-1280-dark'];
const ASSETS = new URL('../../build/assets/', import.meta.url).pathname;
const RESULTS = new URL('../../dist/pictures/', import.meta.url).pathname;

const { values: options } = parseArgs({
  options: {
    update: { type: 'boolean', default: false },
    window: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
});
if (options.window) {
  for (const scheme of SCHEMES)
    for (const { name, png } of await drawWindow(scheme)) await writeFile(join(ASSETS, `${name}.png`), png);
  process.exit();
}
const views = PICTURE_VIEWS.filter(
  ({ name }) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
);
if (views.length === 0) throw new Error(`No picture has ${options.only.join(' or ')} in its name.`);

await rm(RESULTS, { recursive: true, force: true });
const differences: ShownDifference[] = [];
const drawing = await startDrawing();
try {
  await sayOtherBrowser(drawing.chromium);
  for (const view of views) await check(view.name, await drawing.draw(view));
} finally {
  await drawing.stop();
}
// After a partial update the other pictures are still from the previous browser.
if (options.update && options.only.length === 0) await finishUpdate(drawing.chromium);
if (!options.update && differences.length > 0) {
  await writeFile(join(RESULTS, 'index.html'), differencePage(differences));
  process.stdout.write(`See ${join(RESULTS, 'index.html')}; if they are to be so: npm run pictures -- --update\n`);
  process.exitCode = 1;
}
process.stdout.write(
  `${views.length} pictures, ${differences.length} ${options.update ? 'stored anew' : 'different'}\n`,
);

async function check(name: string, now: Buffer): Promise<void> {
  const stored = await readStored(name);
  const difference = stored && comparePictures(stored, storePicture(now, stored));
  if (difference && difference.share <= MAX_DIFFERENCE) return;
  const share = difference?.share ?? null;
  differences.push({ name, share });
  process.stdout.write(`${name}: ${differenceText(share)}\n`);
  if (options.update) {
    if (README_PICTURES.includes(name)) await writeFile(join(ASSETS, `${name}.png`), shrinkPicture(now));
    return writeFile(join(STORED, `${name}.png`), storePicture(now));
  }
  await writeResult('now', name, now);
  if (stored) await writeResult('stored', name, stored);
  if (difference) await writeResult('difference', name, difference.shown);
}

async function readStored(name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(STORED, `${name}.png`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeResult(folder: string, name: string, picture: Buffer): Promise<void> {
  await mkdir(join(RESULTS, folder), { recursive: true });
  await writeFile(join(RESULTS, folder, `${name}.png`), picture);
}

/** Another browser draws letters differently, on screens without changes. */
async function sayOtherBrowser(chromium: string): Promise<void> {
  const before = await readFile(VERSION_FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return chromium;
    throw error;
  });
  if (before.trim() === chromium) return;
  process.stdout.write(
    `The pictures were stored with Chromium ${before.trim()}, this is ${chromium}: letters may look different everywhere.\n`,
  );
}

async function finishUpdate(chromium: string): Promise<void> {
  const names = new Set(PICTURE_VIEWS.map(({ name }) => `${name}.png`));
  for (const file of await readdir(STORED)) if (file.endsWith('.png') && !names.has(file)) await rm(join(STORED, file));
  await writeFile(VERSION_FILE, `${chromium}\n`);
}
