import type { z } from 'zod';
import type { PendingChange } from '../../catalog/catalog.ts';
import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type {
  field,
  ProviderChange,
  ProviderDetail,
  ProviderRow,
} from '../../contract/dashboard/dashboard-integrations.ts';
import { sourceOf } from '../present/provider.ts';
import { redirectRuleOf } from './redirect-rules.ts';

type CatalogField = NonNullable<ProviderEntry['credentials']>[string];
export type FieldView = z.output<typeof field>;

export function viewProvider(entry: ProviderEntry): ProviderRow {
  return {
    name: entry.name,
    displayName: entry.display_name,
    authMode: entry.auth_mode,
    categories: entry.categories ?? [],
    source: sourceOf(entry),
  };
}

export function viewProviderDetail(entry: ProviderEntry): ProviderDetail {
  return {
    ...viewProvider(entry),
    docsUrl: entry.docs ?? null,
    setupGuideUrl: entry.setup_guide_url ?? null,
    redirectRule: redirectRuleOf(entry.name),
    baseUrl: entry.proxy?.base_url ?? null,
    defaultScopes: entry.default_scopes ?? [],
    integrationFields: viewFields(entry.integration_config, entry.docs_connect),
    credentialFields: viewFields(entry.credentials, entry.docs_connect),
    connectionFields: viewFields(entry.connection_config, entry.docs_connect),
  };
}

export function viewProviderChange({ changes, ...change }: PendingChange): ProviderChange {
  return {
    ...change,
    changes: changes.map(({ keyPath, before = null, after = null }) => ({ keyPath, before, after })),
  };
}

/** In the catalogue's order; fields without one keep their place behind. */
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
