import { type MaybeTypes, routedEvent } from './body-routing.ts';
import { addressTargets } from './google-addresses.ts';
import type { MatchTarget, WebhookRouting } from './webhook-routing.ts';

type Headers = Readonly<Record<string, string>>;

const RESOURCE_URI = 'x-goog-resource-uri';
const CALENDAR_OWNER = /\/calendars\/([^/?]+)(?:[/?]|$)/;

/** Notices of Google's watch channels: everything is in the headers, the body is empty. */
function routeNotice(targets: (headers: Headers) => MatchTarget[]): WebhookRouting {
  return ({ headers }) => {
    const types: MaybeTypes = [headers['x-goog-resource-state']];
    return { kind: 'handled', events: [routedEvent(types, targets(headers), headers)], forward: headers };
  };
}

export const googleWebhookRouting = routeNotice((headers) => [watchedUri(headers)]);

export const googleDriveWebhookRouting = routeNotice((headers) => [
  { property: 'metadata.googleDriveWatchResourceIds', value: headers['x-goog-resource-id'] },
  watchedUri(headers),
]);

export const googleCalendarWebhookRouting = routeNotice((headers) => {
  const owner = calendarOwner(headers[RESOURCE_URI] ?? '');
  return [watchedUri(headers), ...(owner === undefined ? [] : addressTargets(owner))];
});

/** Functions that watch something keep its address, whatever it is, under this name. */
function watchedUri(headers: Headers): MatchTarget {
  return { property: 'metadata.googleCalendarWatchResourceUris', value: headers[RESOURCE_URI] };
}

/** The id of a primary calendar is the address of its owner. */
function calendarOwner(uri: string): string | undefined {
  const id = CALENDAR_OWNER.exec(uri)?.[1];
  if (id === undefined) return undefined;
  try {
    const owner = decodeURIComponent(id);
    return owner.includes('@') ? owner : undefined;
  } catch {
    return undefined; // Not an address that Google wrote.
  }
}
