import { loadBuiltinCatalog } from '../../integrations/catalog/builtin-catalog.ts';
import { Catalog } from '../../integrations/catalog/catalog.ts';
import type { CatalogProblem } from '../../integrations/catalog/catalog-problem.ts';
import type { EntrySource, ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import type { CatalogFile } from '../../integrations/catalog/read-entries.ts';
import { readWorkspaceCatalog } from '../../integrations/catalog/workspace-files.ts';
import { practiceEntries } from '../../practice/practice-entries.ts';

/** The address of the practice provider is not used here. */
const NOWHERE = 'http://localhost';

/** The shipped catalogue with the project's own entries, readable without a hub. */
export class OfflineCatalog {
  readonly #catalog: Catalog;

  private constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  static async load(catalogPath: string, root: string): Promise<OfflineCatalog> {
    return OfflineCatalog.loadFiles(catalogPath, await readWorkspaceCatalog(root));
  }

  /** Loads the files as if they were the workspace's. */
  static async loadFiles(catalogPath: string, files: CatalogFile[]): Promise<OfflineCatalog> {
    const catalog = new Catalog({
      builtin: await loadBuiltinCatalog(catalogPath),
      isInUse: () => false,
      hasIntegrations: () => false,
    });
    await catalog.reload(files);
    return new OfflineCatalog(catalog);
  }

  /** All entries, ordered by key. */
  list(): ProviderEntry[] {
    return this.#catalog.list();
  }

  find(provider: string): ProviderEntry | undefined {
    return this.#catalog.find(provider);
  }

  explainMissing(provider: string): string {
    return this.#catalog.explainMissing(provider);
  }

  /** Problems of the project's own entries, one sentence each. */
  problems(): string[] {
    return this.#catalog.problems().toSorted(byPosition).map(sentence);
  }

  /** Warnings about the entries, one sentence each; with `provider`, only those about this provider. */
  warnings(provider?: string): string[] {
    const all = this.#catalog.warnings();
    const wanted = all.filter((one) => provider === undefined || one.provider === provider);
    return wanted.toSorted(byPosition).map(sentence);
  }

  /** Keys of the project's valid entries. Keys of built-in providers are listed separately. */
  ownKeys(): { added: string[]; overBuiltIn: string[] } {
    const bySource = (source: EntrySource) =>
      this.#catalog.list().flatMap((entry) => (entry.source === source ? [entry.name] : []));
    return { added: bySource('workspace'), overBuiltIn: bySource('override') };
  }

  /** Whether a provider is part of the shipped catalogue, also when the project changes it. */
  isBuiltIn(provider: string): boolean {
    const source = this.find(provider)?.source;
    return source === 'builtin' || source === 'override';
  }

  /** Null for a provider that is unknown or has no defaults. */
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
