import type { OpenConnectSession } from '../../api/connect-api.ts';
import type { Chosen } from './chosen.ts';

/** The guide for connecting: the app's own, or the provider's; undefined when there is none with a permitted address. */
export function guideUrl(session: OpenConnectSession, { integration, provider }: Chosen): string | undefined {
  const own = session.overrides?.[integration.unique_key]?.docs_connect;
  return webAddress(own ?? provider['docs_connect']);
}

/** The section about one field in the provider's guide; an app's own guide has no such sections. */
export function sectionUrl(
  session: OpenConnectSession,
  chosen: Chosen,
  section: string | undefined,
): string | undefined {
  const hasOwn = session.overrides?.[chosen.integration.unique_key]?.docs_connect !== undefined;
  const guide = section === undefined || hasOwn ? undefined : guideUrl(session, chosen);
  return guide === undefined ? undefined : `${guide.split('#')[0]}#${section?.replace(/^#/, '')}`;
}

function webAddress(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
