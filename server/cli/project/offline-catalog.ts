import { loadBuiltinCatalog } from '../../catalog/builtin-catalog.ts';
import { Catalog } from '../../catalog/catalog.ts';
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
    const catalog = new Catalog({
      builtin: await loadBuiltinCatalog(catalogPath),
      isInUse: () => false,
      hasIntegrations: () => false,
    });
    await catalog.reload(await readWorkspaceCatalog(root));
    return new OfflineCatalog(catalog);
  }

  /** What is wrong with the project's own entries, a sentence each. */
  problems(): string[] {
    return this.#catalog
      .problems()
      .map(({ file, line, keyPath, provider, reason }) =>
        [`${file}:${line}`, [provider, keyPath].filter((part) => part !== '').join('.'), reason]
          .filter(Boolean)
          .join(' '),
      );
  }

  /** Null for a provider that has none, or that is not known. */
  paginateDefaults(provider: string): Record<string, unknown> | null {
    const practice = practiceEntries(NOWHERE)[provider] as
      | { proxy?: { paginate?: Record<string, unknown> } }
      | undefined;
    return this.#catalog.find(provider)?.proxy?.paginate ?? practice?.proxy?.paginate ?? null;
  }
}
