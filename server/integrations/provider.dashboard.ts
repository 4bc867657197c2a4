import type { z } from 'zod';
import { INTEGRATION_FIELDS } from '../contract/dashboard/dashboard-fields.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { PendingProviderChange } from './catalog/catalog.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import { needsOwnApp, takesPublicClient, waysIn, worksWithoutApp } from './catalog/ways-in.contract.ts';
import type {
  field,
  ProviderChange,
  ProviderDetail,
  ProviderRow,
  RedirectRule,
} from './dashboard-integrations.contract.ts';
import { sourceOf } from './provider.present.ts';

type Keys =
  | 'GET /api/v1/providers'
  | 'GET /api/v1/providers/:provider'
  | 'GET /api/v1/provider-changes'
  | 'POST /api/v1/providers/:provider/approve';

export function providerRoutes({
  catalog,
  templateCopies,
}: Pick<DashboardParts, 'catalog' | 'templateCopies'>): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/providers': async () => {
      const countTemplates = await templateCopies.counter();
      const rows = catalog.list().map((entry) => viewProvider(entry, countTemplates));
      return { data: rows.sort((a, b) => a.displayName.localeCompare(b.displayName, 'en')) };
    },

    'GET /api/v1/providers/:provider': async ({ params: { provider } }) => {
      const entry = catalog.find(provider);
      if (!entry) throw new HomeportError('not_found', catalog.explainMissing(provider));
      return viewProviderDetail(entry, await templateCopies.counter());
    },

    'GET /api/v1/provider-changes': () => ({ data: catalog.pending().map(viewProviderChange) }),

    'POST /api/v1/providers/:provider/approve': async ({ params: { provider }, body: { hash } }) => {
      if (!(await catalog.approve(provider, hash)))
        throw new HomeportError(
          'conflict',
          `This change of "${provider}" does not wait for approval any more. Reload the list.`,
        );
      return { success: true } as const;
    },
  };
}

type CatalogField = NonNullable<ProviderEntry['credentials']>[string];
export type FieldView = z.output<typeof field>;

function viewProvider(entry: ProviderEntry, countTemplates: (provider: string) => number): ProviderRow {
  return {
    name: entry.name,
    displayName: entry.display_name,
    authMode: entry.auth_mode,
    categories: entry.categories ?? [],
    searchTerms: entry.search_terms ?? [],
    source: sourceOf(entry),
    isConfirmed: entry.confirmed !== false,
    waysIn: waysIn(entry),
    worksWithoutApp: worksWithoutApp(entry),
    templateCount: countTemplates(entry.name),
  };
}

function viewProviderDetail(entry: ProviderEntry, countTemplates: (provider: string) => number): ProviderDetail {
  return {
    ...viewProvider(entry, countTemplates),
    ...viewSetupHelp(entry),
    docsUrl: entry.docs ?? null,
    redirectRule: redirectRuleOf(entry.name),
    confirmation: viewConfirmation(entry),
    baseUrl: entry.proxy?.base_url ?? null,
    integrationFields: viewFields(entry.integration_config, entry.docs_connect),
    neededFields: neededFields(entry),
    credentialFields: viewFields(entry.credentials, entry.docs_connect),
    connectionFields: viewFields(entry.connection_config, entry.docs_connect),
  };
}

function viewConfirmation({ confirmed_on: day, confirmed_by: by }: ProviderEntry): ProviderDetail['confirmation'] {
  return day !== undefined && by !== undefined ? { day, by } : null;
}

/** Fields that an app of these modes needs to work, although they may be entered later. */
const NEEDED_LATER: readonly string[] = ['client_id', 'client_secret', 'app_id', 'private_key'];

/** The inputs of an integration: the provider's own, or those of its auth mode. */
export function integrationFields(entry: ProviderEntry | undefined): FieldView[] {
  if (!entry) return [];
  const own = viewFields(entry.integration_config, entry.docs_connect);
  return own.length > 0 ? own : (INTEGRATION_FIELDS[entry.auth_mode] ?? []).map((one) => ({ ...one }));
}

/** Names of the inputs without which nobody can connect, although an integration may be saved without them. */
export function neededFields(entry: ProviderEntry | undefined): string[] {
  const isOfApp = entry !== undefined && needsOwnApp(entry);
  const hasSecret = entry === undefined || !takesPublicClient(entry);
  const neededLater = NEEDED_LATER.filter((name) => name !== 'client_secret' || hasSecret);
  return integrationFields(entry)
    .filter(({ automated, hidden }) => !automated && !hidden)
    .filter(({ name, optional }) => optional !== true || (isOfApp && neededLater.includes(name)))
    .map(({ name }) => name);
}

type SetupHelp = Pick<
  ProviderDetail,
  'setupSteps' | 'setupGuideUrl' | 'availableScopes' | 'defaultScopes' | 'unconfirmed'
>;

/** Empty for a provider that is missing from the catalogue. */
export function viewSetupHelp(entry: ProviderEntry | undefined): SetupHelp {
  return {
    setupSteps: entry?.setup_steps ?? [],
    setupGuideUrl: entry?.setup_guide_url ?? null,
    availableScopes: entry?.available_scopes ?? [],
    defaultScopes: entry?.default_scopes ?? [],
    unconfirmed: entry?.confirmed === false ? (entry.unconfirmed ?? []) : [],
  };
}

export function viewProviderChange({ changes, ...change }: PendingProviderChange): ProviderChange {
  return {
    ...change,
    changes: changes.map(({ keyPath, before = null, after = null }) => ({ keyPath, before, after })),
  };
}

/** Sorted by the catalogue's order; fields without one come last, in their own order. */
export function viewFields(fields: Record<string, CatalogField> | undefined, docsUrl: string | undefined): FieldView[] {
  const entries = Object.entries(fields ?? {});
  entries.sort(([, a], [, b]) => (a.order ?? Number.MAX_SAFE_INTEGER) - (b.order ?? Number.MAX_SAFE_INTEGER));
  return entries.map(([name, one]) => viewField(name, one, docsUrl));
}

function viewField(name: string, one: CatalogField, docsUrl: string | undefined): FieldView {
  return {
    name,
    title: one.title,
    description: one.description || undefined,
    example: one.example,
    pattern: one.pattern,
    enum: one.enum,
    defaultValue: one.default_value,
    prefix: one.prefix,
    suffix: one.suffix,
    docUrl: one.doc_section && docsUrl ? `${docsUrl}${one.doc_section}` : undefined,
    optional: one.optional,
    hidden: one.hidden,
    automated: one.automated,
    secret: one.secret,
    multiline: one.pattern?.includes('-----BEGIN') || undefined,
  };
}

/**
 * Redirect addresses that providers accept, where their documentation says so. `loopback`: http under any name of this
 * computer. `localhost`: http under that name only. `https`: TLS only.
 */
const RULES: Readonly<Record<string, RedirectRule>> = {
  google: 'loopback',
  'google-calendar': 'loopback',
  'google-mail': 'loopback',
  hubspot: 'localhost',
  'practice-oauth1': 'loopback',
  'practice-oauth2': 'loopback',
  slack: 'https',
};

/** Null when the rule is unknown. */
const redirectRuleOf = (provider: string): RedirectRule | null => RULES[provider] ?? null;
