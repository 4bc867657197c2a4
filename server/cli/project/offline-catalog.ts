import { loadBuiltinCatalog } from '../../catalog/builtin-catalog.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { CatalogProblem } from '../../catalog/catalog-problem.ts';
import type { EntrySource } from '../../catalog/entry-schema.ts';
import type { CatalogFile } from '../../catalog/read-entries.ts';
import { readWorkspaceCatalog } from '../../catalog/workspace-files.ts';
import { practiceEntries } from '../../practice/practice-oauth-entries.ts';

/** Where the practice provider is plays no part in what is asked here. */
const NOWHERE = 'http://localhost';

/** Pagination defaults of providers, known without a hub: the shipped catalogue and the project's own entries. */
export class OfflineCatalog {
  readonly #catalog: Catalog;

  private constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  static async load(catalogPath: string, root: string): Promise<OfflineCatalog> {
    return OfflineCatalog.loadFiles(catalogPath, await readWorkspaceCatalog(root));
  }

  /** As if these were the workspace's files. */
  static async loadFiles(catalogPath: string, files: CatalogFile[]): Promise<OfflineCatalog> {
    const catalog = new Catalog({
      builtin: await loadBuiltinCatalog(catalogPath),
      isInUse: () => false,
      hasIntegrations: () => false,
    });
    await catalog.reload(files);
    return new OfflineCatalog(catalog);
  }

  /** What is wrong with the project's own entries, a sentence each. */
  problems(): string[] {
    return this.#catalog.problems().toSorted(byPosition).map(sentence);
  }

  /** What is merely unusual in them, a sentence each; of one provider, when it is named. */
  warnings(provider?: string): string[] {
    const all = this.#catalog.warnings();
    const wanted = all.filter((one) => provider === undefined || one.provider === provider);
    return wanted.toSorted(byPosition).map(sentence);
  }

  /** The project's own entries that hold, by their keys; those over built-in providers apart. */
  ownKeys(): { added: string[]; overBuiltIn: string[] } {
    const bySource = (source: EntrySource) =>
      this.#catalog.list().flatMap((entry) => (entry.source === source ? [entry.name] : []));
    return { added: bySource('workspace'), overBuiltIn: bySource('override') };
  }

  /** Null for a provider that has none, or that is not known. */
  paginateDefaults(provider: string): Record<string, unknown> | null {
    const practice = practiceEntries(NOWHERE)[provider];
    return this.#catalog.find(provider)?.proxy?.paginate ?? practice?.proxy?.paginate ?? null;
  }
}

function byPosition(a: CatalogProblem, b: CatalogProblem): number {
  return a.file.localeCompare(b.file) || a.line - b.line;
}

function sentence({ file, line, keyPath, provider, reason }: CatalogProblem): string {
  return [`${file}:${line}`, [provider, keyPath].filter((part) => part !== '').join('.'), reason]
    .filter(Boolean)
    .join(' ');
}
