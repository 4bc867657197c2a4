import { constants } from 'node:fs';
import { access, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Clock } from '../platform/lib/clock.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { makeFolder } from '../platform/lib/make-folder.ts';
import { emptiedLine, recordLine, restoredLine } from './destination-lines.ts';
import { type DeliveryTarget, DestinationError, type OpenTarget } from './destination-target.ts';
import { createMarkFile } from './mark-file.ts';

/** A file that reaches this size is followed by another one of the day. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The file that the next changes of a model are added to. */
interface OpenFile {
  day: string;
  /** Counted from 1 on each day. */
  number: number;
  /** What the hub has written and noted; more is what a kill interrupted. */
  bytes: number;
}

type Position = Record<string, OpenFile>;

/**
 * A folder with a log of changes: `<integration>/<model>/<day>-<destination>.ndjson`. The hub notes the length of a file
 * together with the cursors, and cuts what is beyond it before it goes on, so that every change is in the files once.
 * Only this destination writes files with its id, so one that the hub has not noted is what a kill left.
 */
export function createNdjsonTarget(folder: string, clock: Clock): DeliveryTarget {
  return {
    async open({ destinationId, marks, position, signal }): Promise<OpenTarget> {
      await prepareFolder(folder);
      const markFile = createMarkFile(join(folder, `.homeport-${destinationId.slice(0, ID_LENGTH)}`));
      const mark = await markFile.read().catch(rethrowProblem);
      const isAhead = mark !== undefined && !marks.known.includes(mark);
      // Lines that the hub no longer knows stay; it goes on in files of its own.
      const files = isAhead ? await lastFiles(folder, destinationId) : (JSON.parse(position) as Position);
      let isMarked = mark === marks.next;

      /** Before the first line of a run. */
      async function leaveMark(): Promise<void> {
        if (isMarked) return;
        await markFile.write(marks.next).catch(rethrowProblem);
        isMarked = true;
      }

      async function append(integrationKey: string, model: string, lines: readonly string[]): Promise<void> {
        await leaveMark();
        await addLines(`${fileName(integrationKey)}/${fileName(model)}`, lines);
      }

      async function addLines(key: string, lines: readonly string[]): Promise<void> {
        signal.throwIfAborted();
        const day = new Date(clock.now()).toISOString().slice(0, 10);
        const text = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
        const pathOf = (file: OpenFile): string => join(folder, key, fileOf(file, destinationId));
        const file = await nextFile(files[key], day, pathOf);
        files[key] = { ...file, bytes: await appendTo(pathOf(file), file.bytes, text) };
      }

      return {
        cursors: undefined,
        isAhead,
        async tellRestored() {
          const line = restoredLine(marks.stamp, new Date(clock.now()).toISOString());
          for (const key of Object.keys(files)) await addLines(key, [line]);
        },
        leaveMark,
        position: () => JSON.stringify(files),
        write: ({ integrationKey, model, parts }) =>
          append(
            integrationKey,
            model,
            parts.flatMap(({ records, stream }) => records.map((record) => recordLine(stream, record))),
          ),
        async removeStreams(streams) {
          const at = new Date(clock.now()).toISOString();
          for (const stream of streams) await append(stream.integrationKey, stream.model, [emptiedLine(stream, at)]);
        },
        close: async () => {},
      };
    },
    async test() {
      await prepareFolder(folder);
      return 'The folder can be written.';
    },
  };
}

/** A name that every file system takes; others get their bytes in hex. */
function fileName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_.-]/g, (character) => `%${Buffer.from(character).toString('hex')}`);
  return safe.startsWith('.') ? `%2e${safe.slice(1)}` : safe;
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    const probe = join(folder, '.homeport-check');
    await (await open(probe, 'w')).close();
    await rm(probe);
  } catch (error) {
    throw fileProblem(error);
  }
}

const ID_LENGTH = 8;

function fileOf({ day, number }: OpenFile, destinationId: string): string {
  // Sorted by name, the files are in their order.
  return `${day}-${destinationId.slice(0, ID_LENGTH)}${number === 1 ? '' : `_${number}`}.ndjson`;
}

const FILE_NAME = /^(\d{4}-\d\d-\d\d)-([0-9a-f]{8})(?:[-_](\d+))?\.ndjson$/;

/** The newest file of each model, as if it were full. */
async function lastFiles(folder: string, destinationId: string): Promise<Position> {
  const files: Position = {};
  for (const path of await readdir(folder, { recursive: true })) {
    const [, day, id, number = '1'] = FILE_NAME.exec(basename(path)) ?? [];
    if (day === undefined || id !== destinationId.slice(0, ID_LENGTH)) continue;
    const key = dirname(path).split(sep).join('/');
    const found = files[key];
    const isNewer = !found || found.day < day || (found.day === day && found.number < Number(number));
    if (isNewer) files[key] = { day, number: Number(number), bytes: MOST_BYTES };
  }
  return files;
}

/** The present file, or the next one: on a new day, when it is full, or when somebody cut or removed it. */
async function nextFile(
  current: OpenFile | undefined,
  day: string,
  pathOf: (file: OpenFile) => string,
): Promise<OpenFile> {
  // After the clock was set back, the file of the later day goes on.
  if (!current || current.day < day) return { day, number: 1, bytes: 0 };
  const isWhole = current.bytes < MOST_BYTES && (await sizeOf(pathOf(current))) >= current.bytes;
  return isWhole ? current : { day: current.day, number: current.number + 1, bytes: 0 };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return -1;
    throw fileProblem(error);
  }
}

/** Resolves to the new length, when it is on the disk. */
async function appendTo(path: string, from: number, text: Buffer): Promise<number> {
  try {
    await makeFolder(dirname(path));
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      await handle.truncate(from);
      for (let done = 0; done < text.length; ) {
        const { bytesWritten } = await handle.write(text, done, text.length - done, from + done);
        done += bytesWritten;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    return from + text.length;
  } catch (error) {
    throw fileProblem(error);
  }
}

function rethrowProblem(error: unknown): never {
  throw fileProblem(error);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the user of the hub may not write there',
  EPERM: 'the user of the hub may not write there',
  EROFS: 'it is on a disk that can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a file has its name',
  ENOENT: 'it is not there and cannot be made',
};

function fileProblem(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  const { code = '' } = error as { code?: string };
  const reason = REASONS[code] ?? `the system says ${code || 'nothing more'}`;
  return new DestinationError('destination_unreachable', `The folder cannot be written: ${reason}.`, { cause: error });
}
