/** Where a provider sends the webhooks of an integration (http-api.md 3). */
export function webhookAddress(publicBase: string, environmentUuid: string, integrationKey: string): string {
  return `${publicBase}/webhook/${environmentUuid}/${encodeURIComponent(integrationKey)}`;
}
