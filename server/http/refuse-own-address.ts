import type { SettingsBody } from '../contract/api/environment.ts';
import type { Issue } from '../contract/issue.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import { isOwnAddress, type OwnAddresses } from '../lib/own-address.ts';

/** Webhooks to the hub itself would only fail when they are sent; their author should know it now. */
export function refuseOwnAddress(
  urls: Array<{ path: string[]; url: string | null | undefined }>,
  own: OwnAddresses,
): void {
  const issues: Issue[] = urls
    .filter(({ url }) => url && isOwnAddress(url, own))
    .map(({ path }) => ({
      code: 'custom',
      message: 'This is the address of Homeport itself. Enter the address of your app.',
      path,
    }));
  if (issues.length > 0) throw new HomeportError('invalid_body', 'The request does not fit.', { issues });
}

export function refuseOwnWebhooks({ webhook }: Pick<SettingsBody, 'webhook'>, own: OwnAddresses): void {
  const names = ['primary_url', 'secondary_url'] as const;
  refuseOwnAddress(
    names.map((name) => ({ path: ['webhook', name], url: webhook?.[name] })),
    own,
  );
}
