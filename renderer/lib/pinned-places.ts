import { readStored, writeStored } from './stored.ts';

/** What a person pinned to the sidebar. */
export type Favourite =
  | { kind: 'connection'; integrationKey: string; connectionId: string }
  | { kind: 'integration'; key: string }
  | { kind: 'function'; integrationKey: string; type: 'sync' | 'action' | 'on-event'; name: string }
  /** A saved view of a list. */
  | { kind: 'view'; list: string; name: string };

/** Each is read from the hub, so that its name is right and a deleted one disappears. */
export const MAX_FAVOURITES = 20;

const nameOf = (env: string): string => `favourites.${env}`;

/** One text that identifies a favourite. */
export const favouriteKey = (one: Favourite): string =>
  JSON.stringify(
    one.kind === 'connection'
      ? [one.kind, one.integrationKey, one.connectionId]
      : one.kind === 'integration'
        ? [one.kind, one.key]
        : one.kind === 'function'
          ? [one.kind, one.integrationKey, one.type, one.name]
          : [one.kind, one.list, one.name],
  );

/** The favourites of this browser, by environment, and a change in another tab. */
class FavouriteList {
  readonly #listeners = new Set<() => void>();
  /** Read once per change: a snapshot has to stay the same object. */
  readonly #known = new Map<string, readonly Favourite[]>();

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) window.addEventListener('storage', this.#onStorage);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) window.removeEventListener('storage', this.#onStorage);
    };
  };

  read(env: string): readonly Favourite[] {
    const known = this.#known.get(env) ?? readStored<Favourite[]>(nameOf(env), []);
    this.#known.set(env, known);
    return known;
  }

  write(env: string, next: readonly Favourite[]): void {
    writeStored(nameOf(env), next);
    this.#known.set(env, next);
    this.#notify();
  }

  readonly #onStorage = (): void => {
    this.#known.clear();
    this.#notify();
  };

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const favourites = new FavouriteList();

export const isFavourite = (list: readonly Favourite[], one: Favourite): boolean =>
  list.some((other) => favouriteKey(other) === favouriteKey(one));

/** False when no more are kept. */
export function addFavourite(env: string, one: Favourite): boolean {
  const list = favourites.read(env);
  if (list.length >= MAX_FAVOURITES) return false;
  if (!isFavourite(list, one)) favourites.write(env, [...list, one]);
  return true;
}

export function removeFavourite(env: string, one: Favourite): void {
  const list = favourites.read(env);
  if (isFavourite(list, one))
    favourites.write(
      env,
      list.filter((other) => favouriteKey(other) !== favouriteKey(one)),
    );
}

/** Moves one to the place of another. */
export function moveFavourite(env: string, from: number, to: number): void {
  const list = [...favourites.read(env)];
  const [one] = list.splice(from, 1);
  if (!one || to < 0 || to > list.length) return;
  list.splice(to, 0, one);
  favourites.write(env, list);
}
