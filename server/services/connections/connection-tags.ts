import type { EndUserInput } from '../../contract/api/fields.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { EndUserCopy } from '../../stores/connections-store.ts';

const TAG_KEY = /^[a-z][a-z0-9_\-./]*$/;
const MOST_TAGS = 10;

/** Keys in lower case, values as given (http-api.md 1.5). */
export function normalizeTags(tags: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]));
}

/**
 * Tags that follow from an end user (http-api.md 4): the well-known ones, then the user's own, cut to 255
 * characters; unusable keys are dropped, and all of the user's own when the total would exceed ten.
 */
export function tagsOfEndUser(endUser: EndUserCopy): Record<string, string> {
  const known = keep({
    end_user_id: endUser.id,
    end_user_email: endUser.email,
    end_user_display_name: endUser.displayName,
    organization_id: endUser.organization?.id,
    organization_display_name: endUser.organization?.displayName,
  });
  const own = Object.entries(normalizeTags(endUser.tags ?? {})).filter(
    ([key, value]) => TAG_KEY.test(key) && key.length <= 64 && value !== '',
  );
  const all = { ...known, ...Object.fromEntries(own.map(([key, value]) => [key, value.slice(0, 255)])) };
  return Object.keys(all).length > MOST_TAGS ? known : all;
}

/** The tag set of a connection: derived from its end user, explicit tags win. */
export function mergeTags(
  endUser: EndUserCopy | null,
  explicit: Record<string, string> | undefined,
): Record<string, string> {
  const merged = { ...(endUser ? tagsOfEndUser(endUser) : {}), ...normalizeTags(explicit ?? {}) };
  if (Object.keys(merged).length > MOST_TAGS) {
    throw new HomeportError(
      'invalid_body',
      `A connection holds at most ${MOST_TAGS} tags, those of its end user included.`,
    );
  }
  return merged;
}

/** The connection's own copy of an end user; what the input leaves out keeps the stored value. */
export function toEndUserCopy(input: EndUserInput, stored: EndUserCopy | null): EndUserCopy {
  const same = stored?.id === input.id ? stored : null;
  return {
    id: input.id,
    email: input.email ?? same?.email ?? null,
    displayName: input.display_name ?? same?.displayName ?? null,
    tags: input.tags ?? same?.tags ?? null,
    organization: same?.organization ?? null,
  };
}

function keep(values: Record<string, string | null | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) if (value) kept[key] = value.slice(0, 255);
  return kept;
}
