import { createReadStream, createWriteStream, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CACHE } from './setup-paths.mjs';

/**
 * Fetches Electron's program into the folder of its package (the argument), with the modules that Electron's own
 * installer uses: they know names, mirrors (ELECTRON_MIRROR), checksums, and the cache that electron-builder shares. This
 * adds what a slow or unsteady network needs: it continues a part, repeats, and does not wait for a silent server. Prints
 * one JSON line for each message; the last one names the problem, if there is one.
 */
const [, , folder] = process.argv;

/** In milliseconds. Without a network the browser is to open at once, so a computer that cannot be reached is given up soon. */
const REACH_LIMIT_MS = 1200;
/** A server that is silent for this long is asked again. */
const SILENCE_LIMIT_MS = Number(process.env.HOMEPORT_DOWNLOAD_SILENCE_MS) || 20_000;
/** Attempts in a row that bring no byte. */
const MAX_EMPTY_ATTEMPTS = 4;
const REPORT_EVERY_MS = 250;

class FetchProblem extends Error {}

const say = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** The downloader that @electron/get calls. A part survives the process, and the next start continues it. */
const downloader = {
  async download(url, target) {
    await reach(url);
    const part = path.join(CACHE, 'electron', `${path.basename(target)}.part`);
    await mkdir(path.dirname(part), { recursive: true });
    let emptyAttempts = 0;
    for (;;) {
      const before = sizeOf(part);
      try {
        await receive(url, part);
        break;
      } catch (error) {
        if (error instanceof FetchProblem) throw error;
        emptyAttempts = sizeOf(part) > before ? 0 : emptyAttempts + 1;
        if (emptyAttempts >= MAX_EMPTY_ATTEMPTS) throw new FetchProblem(`${hostOf(url)}: ${causeOf(error)}`);
        await delay(200 * 2 ** emptyAttempts);
      }
    }
    await moveFile(part, target);
  },
};

/** Fails soon when there is no network: the name is unknown, or nobody answers. */
async function reach(url) {
  const { hostname, port, protocol } = new URL(proxyOf(url) ?? url);
  const socket = net.connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
  });
  const outcome = await new Promise((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.once('error', (error) => resolve(error.code));
    setTimeout(() => resolve('no answer'), REACH_LIMIT_MS).unref();
  });
  socket.destroy();
  if (outcome) throw new FetchProblem(`${hostname} cannot be reached: ${outcome}`);
}

function proxyOf(url) {
  const { env } = process;
  const { hostname } = new URL(url);
  const excluded = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/).filter(Boolean);
  if (excluded.some((one) => one === '*' || hostname === one || hostname.endsWith(`.${one.replace(/^\./, '')}`)))
    return undefined;
  return url.startsWith('https:') ? env.HTTPS_PROXY : env.HTTP_PROXY;
}

/** Continues the part; a server that cannot do that sends everything again. */
async function receive(url, part) {
  const from = sizeOf(part);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('no answer')), SILENCE_LIMIT_MS);
  try {
    const response = await fetch(url, { signal: silence.signal, headers: from > 0 ? { range: `bytes=${from}-` } : {} });
    if (response.status === 416) {
      // Either the part is the whole file already, or it belongs to another one.
      if (response.headers.get('content-range') === `bytes */${from}`) return;
      rmSync(part);
    }
    if (response.status === 404)
      throw new FetchProblem(`${hostOf(url)} has no ${path.basename(new URL(url).pathname)}`);
    if (response.status === 403 || response.status === 407)
      throw new FetchProblem(`${hostOf(url)} or a proxy refuses it (${response.status})`);
    if (!response.ok || !response.body) throw new Error(`it answers ${response.status}`);
    const isContinued = response.status === 206;
    let receivedBytes = isContinued ? from : 0;
    const totalBytes = receivedBytes + Number(response.headers.get('content-length') ?? 0);
    let reportedAt = 0;
    const report = (isLast = false) => {
      if (!isLast && performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      say({ receivedBytes, totalBytes });
    };
    report();
    await pipeline(
      Readable.fromWeb(response.body),
      async function* (source) {
        for await (const chunk of source) {
          timer.refresh();
          receivedBytes += chunk.length;
          report();
          yield chunk;
        }
      },
      createWriteStream(part, { flags: isContinued ? 'a' : 'w' }),
    );
    if (totalBytes > 0 && receivedBytes < totalBytes) throw new Error('the connection ended before the file did');
    report(true);
  } finally {
    clearTimeout(timer);
  }
}

const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
const hostOf = (url) => new URL(url).host;

/** Node's fetch says only "fetch failed"; the cause is inside. */
function causeOf(error) {
  const { cause, message } = error;
  return cause?.code ?? cause?.message ?? message;
}

/** The temporary folder may be on another disk. */
async function moveFile(from, to) {
  try {
    await rename(from, to);
  } catch (error) {
    if (error.code !== 'EXDEV') throw error;
    await pipeline(createReadStream(from), createWriteStream(to));
    rmSync(from);
  }
}

/** In a folder of its own first, so that an end in between leaves no half program. */
async function extractInto(archive, extract) {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('dist.')) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
  say({ isUnpacking: true });
  const fresh = path.join(folder, `dist.${process.pid}`);
  await extract(archive, { dir: fresh });
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  // The package keeps its own type declarations.
  rmSync(path.join(fresh, 'electron.d.ts'), { force: true });
  renameSync(fresh, path.join(folder, 'dist'));
  const program = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform];
  await writeFile(path.join(folder, 'path.txt'), program ?? 'electron');
}

async function fetchProgram() {
  const requireOfElectron = createRequire(path.join(folder, 'package.json'));
  const load = (name) => import(pathToFileURL(requireOfElectron.resolve(name)).href);
  const { downloadArtifact } = await load('@electron/get');
  const { extract } = await load('@electron-internal/extract-zip');
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const checksums = JSON.parse(readFileSync(path.join(folder, 'checksums.json'), 'utf8'));
  const { platform, arch } = process;
  const options = { version, artifactName: 'electron', platform, arch, checksums, downloader };
  const cacheRoot = process.env.electron_config_cache;
  const get = () => downloadArtifact({ ...options, ...(cacheRoot ? { cacheRoot } : {}) });
  const archive = await get().catch((error) => {
    // A part of an earlier download may have been damaged. Whole files that are wrong twice are wrong.
    if (isWrongChecksum(error)) return get();
    throw error;
  });
  await extractInto(archive, extract);
}

const isWrongChecksum = (error) => /checksum/i.test(error.constructor.name + error.message);

function explain(error) {
  if (error instanceof FetchProblem) return error.message;
  if (isWrongChecksum(error)) return 'the file that came has the wrong checksum, so it is not used';
  if (error.code === 'ENOSPC') return 'the disk is full; about 500 MB are needed';
  return causeOf(error);
}

try {
  await fetchProgram();
  process.exit(0);
} catch (error) {
  say({ problem: explain(error) });
  process.exit(1);
}
