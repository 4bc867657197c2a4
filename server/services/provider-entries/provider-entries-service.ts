import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogProblem } from '../../catalog/catalog-problem.ts';
import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import {
  entryNames,
  findEntryText,
  importedCatalogPath,
  pickEntries,
  replaceEntryText,
} from '../../catalog/entry-texts.ts';
import type { CatalogFile } from '../../catalog/read-entries.ts';
import { readWorkspaceCatalog } from '../../catalog/workspace-files.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import { type TrialOptions, type TrialResult, type TriedText, tryEntry } from './try-entry.ts';

export interface ProviderEntriesOptions extends TrialOptions {
  catalog: Catalog;
  workspace: string;
  /** Reads the workspace's files again. */
  reload: () => Promise<void>;
}

interface EntryFindings {
  problems: CatalogProblem[];
  warnings: CatalogProblem[];
}

interface CheckedFile extends EntryFindings {
  /** Those that hold. */
  entries: Array<ProviderEntry & { isThere: boolean }>;
}

interface WrittenEntry {
  /** Below the workspace; null for one that is not written yet. */
  file: string | null;
  text: string;
  isBuiltIn: boolean;
}

const MAIN_FILE = 'providers.yaml';
const KEY = /^[a-z0-9-]{1,255}$/;

/** What people write about providers: kept in the workspace's files, and approved as they save it. */
export class ProviderEntriesService {
  readonly #options: ProviderEntriesOptions;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(options: ProviderEntriesOptions) {
    this.#options = options;
  }

  findings(): EntryFindings {
    const { catalog } = this.#options;
    return { problems: catalog.problems(), warnings: catalog.warnings() };
  }

  /** What the catalogue would say of a file. An alias of another entry of the workspace is found, too. */
  async check(file: CatalogFile): Promise<CheckedFile> {
    const { catalog, workspace } = this.#options;
    const own = await readWorkspaceCatalog(workspace);
    const alone = await catalog.tryOut([file]);
    const isAlias = alone.problems().some(({ keyPath }) => keyPath === 'alias');
    const trial = isAlias ? await catalog.tryOut([...own.filter(({ path }) => path !== file.path), file]) : alone;
    const written = new Set(entryNames(file.text));
    const there = new Set(own.flatMap(({ text }) => entryNames(text)));
    const ofFile = (found: CatalogProblem): boolean => found.file === file.path;
    return {
      entries: trial
        .list()
        .filter(({ name, source }) => source !== 'builtin' && (!isAlias || written.has(name)))
        .map((entry) => ({ ...entry, isThere: there.has(entry.name) })),
      problems: trial.problems().filter(ofFile),
      warnings: trial.warnings().filter(ofFile),
    };
  }

  /** The text of an entry; a beginning for a provider that the workspace says nothing of. */
  async read(provider: string): Promise<WrittenEntry> {
    const { catalog, workspace } = this.#options;
    const entry = catalog.find(provider);
    const isBuiltIn = entry !== undefined && entry.source !== 'workspace';
    for (const { path, text } of (await readWorkspaceCatalog(workspace)).toReversed()) {
      const found = findEntryText(text, provider);
      if (found !== undefined) return { file: path, text: found, isBuiltIn };
    }
    return { file: null, text: isBuiltIn ? `${provider}:\n  extends: true\n` : '', isBuiltIn };
  }

  /** Writes one entry and replaces what was there; throws `invalid_body` with what is wrong with it. */
  save(provider: string, text: string): Promise<WrittenEntry> {
    return this.#inTurn(async () => {
      if (!KEY.test(provider))
        throw new HomeportError('invalid_body', 'Name the provider with lower-case letters, digits and "-".');
      const files = await readWorkspaceCatalog(this.#options.workspace);
      const file = files.findLast((one) => findEntryText(one.text, provider) !== undefined);
      const path = file?.path ?? MAIN_FILE;
      const before = file?.text ?? files.find((one) => one.path === MAIN_FILE)?.text ?? '';
      const after = replaceEntryText(before, provider, text);
      if (after === undefined) throw unreadable(path);
      const { hash } = await this.#requireSound({ path, text: after }, provider, files);
      await this.#write(path, after);
      await this.#approve([[provider, hash]]);
      return this.read(provider);
    });
  }

  /** Adds the sound entries of a file; those over built-in providers only with `replaces`. */
  importFile(file: CatalogFile, replaces: boolean): Promise<{ file: string; added: string[] }> {
    return this.#inTurn(async () => {
      const { catalog } = this.#options;
      const trial = await catalog.tryOut([file]);
      const added = trial
        .list()
        .filter(({ source }) => source === 'workspace' || (replaces && source === 'override'))
        .map(({ name }) => name);
      if (added.length === 0) throw new HomeportError('invalid_body', `${file.path} has no entry to add.`);
      const path = importedCatalogPath(file.path);
      await this.#write(path, await pickEntries(file.text, new Set(added)));
      await this.#approve(added.map((name) => [name, trial.hashOf(name)]));
      return { file: path, added };
    });
  }

  /** Takes an entry out of every file that has it; throws `not_found` when none does. */
  remove(provider: string): Promise<void> {
    return this.#inTurn(async () => {
      const { catalog, workspace } = this.#options;
      const files = await readWorkspaceCatalog(workspace);
      const having = files.filter(({ text }) => findEntryText(text, provider) !== undefined);
      if (having.length === 0)
        throw new HomeportError('not_found', `The workspace has no entry of the provider "${provider}".`);
      for (const { path, text } of having) {
        const after = replaceEntryText(text, provider, null);
        if (after === undefined) throw unreadable(path);
        await this.#write(path, after);
      }
      await this.#options.reload();
      const removal = catalog.pending().find((one) => one.provider === provider && one.kind === 'removal');
      if (removal) await catalog.approve(provider, removal.hash);
    });
  }

  /** Sends one request as an unsaved entry says. */
  async try(trial: TriedText, signal?: AbortSignal): Promise<TrialResult> {
    const { provider, text } = trial;
    const files = await readWorkspaceCatalog(this.#options.workspace);
    const { entry, catalog } = await this.#requireSound({ path: MAIN_FILE, text }, provider, files);
    return tryEntry(this.#options, { catalog, entry, trial, signal });
  }

  async #requireSound(file: CatalogFile, provider: string, files: CatalogFile[]) {
    const trial = await this.#options.catalog.tryOut([...files.filter(({ path }) => path !== file.path), file]);
    const faults = trial.problems().filter((one) => one.provider === provider || one.provider === '');
    const entry = trial.find(provider);
    if (faults.length > 0 || !entry || entry.source === 'builtin') {
      const [fault] = faults;
      const where = fault ? [provider, fault.keyPath].filter(Boolean).join('.') : provider;
      throw new HomeportError('invalid_body', `${where}: ${fault?.reason ?? 'the text has no such entry'}.`);
    }
    return { catalog: trial, entry, hash: trial.hashOf(provider) };
  }

  async #write(path: string, text: string): Promise<void> {
    const target = join(this.#options.workspace, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Only what was checked: a file that is changed meanwhile has another hash and waits. */
  async #approve(entries: Array<[name: string, hash: string | undefined]>): Promise<void> {
    const { catalog, reload } = this.#options;
    await reload();
    for (const [name, hash] of entries) if (hash !== undefined) await catalog.approve(name, hash);
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#lastWrite.then(task);
    this.#lastWrite = turn.catch(() => {
      // Its caller has the rejection.
    });
    return turn;
  }
}

function unreadable(path: string): HomeportError {
  return new HomeportError(
    'conflict',
    `${path} is laid out so that single entries cannot be told apart. Write each provider's key at the left margin.`,
  );
}
