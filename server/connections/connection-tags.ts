import { type EndUserInput, MAX_TAG_VALUE_LENGTH, MAX_TAGS, tagKey } from '../contract/fields.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { EndUserCopy } from './connections.store.ts';

export interface TagChange {
  set?: Record<string, string> | undefined;
  remove?: string[] | undefined;
}

/** The stored tags with single ones set and removed. */
export function changedTags(
  stored: Record<string, string>,
  { set = {}, remove = [] }: TagChange,
): Record<string, string> {
  const gone = new Set(remove.map((name) => name.toLowerCase()));
  const kept = Object.entries(stored).filter(([name]) => !gone.has(name));
  return mergeTags(null, { ...Object.fromEntries(kept), ...normalizeTags(set) });
}

/** Keys in lower case, values as given (http-api.md 1.5). */
function normalizeTags(tags: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]));
}

/**
 * Tags derived from an end user (http-api.md 4): first the well-known ones, then the user's own, cut to 255 characters.
 * Unusable keys are left out, and all of the user's own tags when there would be more than ten in total.
 */
function tagsOfEndUser(endUser: EndUserCopy): Record<string, string> {
  const known = toTags({
    end_user_id: endUser.id,
    end_user_email: endUser.email,
    end_user_display_name: endUser.displayName,
    organization_id: endUser.organization?.id,
    organization_display_name: endUser.organization?.displayName,
  });
  const own = Object.entries(normalizeTags(endUser.tags ?? {})).filter(
    ([key, value]) => tagKey.safeParse(key).success && value !== '',
  );
  const all = { ...known, ...toTags(Object.fromEntries(own)) };
  return Object.keys(all).length > MAX_TAGS ? known : all;
}

/** All tags of a connection: those derived from its end user, replaced by explicit tags of the same key. */
export function mergeTags(
  endUser: EndUserCopy | null,
  explicit: Record<string, string> | undefined,
): Record<string, string> {
  const merged = { ...(endUser ? tagsOfEndUser(endUser) : {}), ...normalizeTags(explicit ?? {}) };
  if (Object.keys(merged).length > MAX_TAGS) {
    throw new HomeportError(
      'invalid_body',
      `A connection holds at most ${MAX_TAGS} tags, those of its end user included.`,
    );
  }
  return merged;
}

/** The connection's own copy of an end user; members that the input leaves out keep the stored value. */
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

/** Leaves out members without a value and cuts long values. */
function toTags(values: Record<string, string | null | undefined>): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) if (value) tags[key] = value.slice(0, MAX_TAG_VALUE_LENGTH);
  return tags;
}
