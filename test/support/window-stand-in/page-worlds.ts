/**
 * Scripts that the stand-in puts into the top frame of every page, before the page's own. Their functions are sent as
 * text, so they use nothing from outside of themselves.
 */

export const PRELOAD_WORLD = 'Electron Isolated Context';
export const BINDING = 'standInTell';

/** What a page tells the stand-in. */
export type PageMessage =
  | { kind: 'invoke'; id: number; channel: string; args: unknown[] }
  | { kind: 'send'; channel: string; args: unknown[] }
  | { kind: 'open'; url: string; frameName: string; features: string }
  | { kind: 'close' }
  | { kind: 'key'; type: string; key: string; code: string }
  | { kind: 'context-menu'; isEditable: boolean; selectionText: string; hasText: boolean };

interface WorldEnd {
  post(kind: string, detail: unknown): void;
  on(kind: string, listener: (detail: never) => void): void;
  encode(value: unknown): unknown;
  decode(value: unknown): unknown;
}

/**
 * One side of the way between the page and the isolated world of the preload script: events of the same document, which
 * both hear at once. Values are copied; functions and promises are represented by numbers.
 */
function worldEnd(token: string, side: string, other: string): WorldEnd {
  type Encoded = Record<string, unknown>;
  const functions: Array<(...args: unknown[]) => unknown> = [];
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastPromise = 0;
  let returned: Encoded = {};
  const post = (kind: string, detail: unknown): void =>
    void window.dispatchEvent(new CustomEvent(`${token}-${other}-${kind}`, { detail }));
  const on = (kind: string, listener: (detail: never) => void): void =>
    window.addEventListener(`${token}-${side}-${kind}`, (event) => listener((event as CustomEvent).detail as never));
  const say = (error: unknown): string => (error instanceof Error ? error.message : String(error));

  function encode(value: unknown): Encoded {
    if (typeof value === 'function') return { fn: functions.push(value as () => unknown) - 1 };
    if (value instanceof Promise) {
      lastPromise += 1;
      const id = lastPromise;
      value.then(
        (result) => post('settled', { id, value: encode(result) }),
        (error) => post('settled', { id, error: say(error) }),
      );
      return { promise: id };
    }
    if (Array.isArray(value)) return { list: value.map(encode) };
    if (typeof value === 'object' && value !== null)
      return { map: Object.entries(value).map(([key, one]) => [key, encode(one)]) };
    return { value };
  }

  function decode(encoded: unknown): unknown {
    const one = encoded as Encoded;
    if ('fn' in one) return (...args: unknown[]) => callOther(one['fn'], args);
    if ('promise' in one)
      return new Promise((resolve, reject) => pending.set(Number(one['promise']), { resolve, reject }));
    if ('list' in one) return (one['list'] as unknown[]).map(decode);
    if ('map' in one)
      return Object.fromEntries((one['map'] as Array<[string, unknown]>).map(([key, value]) => [key, decode(value)]));
    return one['value'];
  }

  function callOther(fn: unknown, args: unknown[]): unknown {
    returned = {};
    post('call', { fn, args: args.map(encode) });
    const answer = returned;
    if (typeof answer['error'] === 'string') throw new Error(answer['error']);
    return decode(answer['value']);
  }

  on('call', ({ fn, args }: { fn: number; args: unknown[] }) => {
    let answer: Encoded;
    try {
      answer = { value: encode(functions[fn]?.(...args.map(decode))) };
    } catch (error) {
      answer = { error: say(error) };
    }
    post('return', answer);
  });
  on('return', (answer: Encoded) => {
    returned = answer;
  });
  on('settled', ({ id, value, error }: { id: number; value: unknown; error?: string }) => {
    const promise = pending.get(id);
    pending.delete(id);
    if (error === undefined) promise?.resolve(decode(value));
    else promise?.reject(new Error(error));
  });
  return { post, on, encode, decode };
}

/** The page's own world gets what the preload script exposes, and opens windows as Electron does: only if it may. */
function mainWorld(end: WorldEnd): void {
  end.on('expose', ({ name, api }: { name: string; api: unknown }) => {
    Object.defineProperty(window, name, { value: Object.freeze(end.decode(api)), enumerable: true });
  });
  const native = window.open;
  window.open = (url, target, features) => {
    const inside = ['_self', '_parent', '_top'];
    if (target !== undefined && (inside.includes(target) || window.frames[target as never] !== undefined))
      return native.call(window, url, target, features);
    const frameName = target === '_blank' ? '' : (target ?? '');
    end.post('open', { url: new URL(url ?? '', document.baseURI).href, frameName, features: features ?? '' });
    return null;
  };
  window.close = () => end.post('close', {});
}

/** What a preload script gets by `require('electron')`. */
function preloadWorld(end: WorldEnd, binding: string): object {
  type Listener = (event: object, ...args: unknown[]) => void;
  const world = globalThis as unknown as Record<string, (message: string) => void>;
  const tell = (message: unknown): void => world[binding]?.(JSON.stringify(message));
  const listeners = new Map<string, Set<Listener>>();
  const asked = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  Object.assign(globalThis, {
    standInAnswer({ id, value, error }: { id: number; value?: unknown; error?: string }) {
      const { resolve, reject } = asked.get(id) ?? {};
      asked.delete(id);
      if (error === undefined) resolve?.(value);
      else reject?.(new Error(error));
    },
    standInSend(channel: string, args: unknown[]) {
      for (const listener of [...(listeners.get(channel) ?? [])]) listener({}, ...args);
    },
  });
  end.on('open', (detail: object) => tell({ kind: 'open', ...detail }));
  end.on('close', () => tell({ kind: 'close' }));
  for (const type of ['keydown', 'keyup'])
    window.addEventListener(
      type,
      (event) => {
        const { key, code, isTrusted } = event as KeyboardEvent;
        if (isTrusted) tell({ kind: 'key', type: type === 'keyup' ? 'keyUp' : 'keyDown', key, code });
      },
      true,
    );
  window.addEventListener('contextmenu', (event) => {
    if (event.defaultPrevented) return;
    // Electron shows no menu of its own.
    event.preventDefault();
    const { target } = event;
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    const selectionText = isField
      ? target.value.slice(target.selectionStart ?? 0, target.selectionEnd ?? 0)
      : String(window.getSelection());
    const isEditable = isField || (target instanceof HTMLElement && target.isContentEditable);
    tell({ kind: 'context-menu', isEditable, selectionText, hasText: selectionText !== '' });
  });
  return {
    contextBridge: {
      exposeInMainWorld: (name: string, api: object) => end.post('expose', { name, api: end.encode(api) }),
    },
    ipcRenderer: {
      invoke: (channel: string, ...args: unknown[]) =>
        new Promise((resolve, reject) => {
          lastId += 1;
          asked.set(lastId, { resolve, reject });
          tell({ kind: 'invoke', id: lastId, channel, args });
        }),
      send: (channel: string, ...args: unknown[]) => tell({ kind: 'send', channel, args }),
      on: (channel: string, listener: Listener) => {
        listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
      },
      removeListener: (channel: string, listener: Listener) => void listeners.get(channel)?.delete(listener),
    },
  };
}

const inTopFrame = (code: string): string =>
  `if (window === window.top && location.protocol !== 'chrome-error:') { ${code} }`;
const endOf = (token: string, side: string, other: string): string =>
  `(${worldEnd})(${JSON.stringify(token)}, '${side}', '${other}')`;

export const mainWorldScript = (token: string): string =>
  inTopFrame(`(${mainWorld})(${endOf(token, 'main', 'isolated')});`);

/** `preload` is the text of a CommonJS file; the rules of a page forbid its evaluation, so it stands in the script. */
export const preloadWorldScript = (token: string, preload: string): string =>
  inTopFrame(`const electron = (${preloadWorld})(${endOf(token, 'isolated', 'main')}, '${BINDING}');
    const require = (name) => { if (name === 'electron') return electron; throw new Error('A sandboxed preload script has no ' + name); };
    (function (require, module, exports) {\n${preload}\n})(require, { exports: {} }, {});`);

/**
 * Selects the next hit of a text that is visible, as the browser's own search does, and counts the hits. Runs in the
 * world of the preload script.
 */
export function findText({ text, forward, isAgain }: { text: string; forward: boolean; isAgain: boolean }): {
  matches: number;
  activeMatchOrdinal: number;
} {
  const memory = globalThis as unknown as { standInOrdinal?: number };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const hits: Array<{ node: Node; at: number }> = [];
  const wanted = text.toLowerCase();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement?.checkVisibility({ visibilityProperty: true })) continue;
    const inside = node.nodeValue?.toLowerCase() ?? '';
    for (let at = inside.indexOf(wanted); at !== -1; at = inside.indexOf(wanted, at + wanted.length))
      hits.push({ node, at });
  }
  if (hits.length === 0) return { matches: 0, activeMatchOrdinal: 0 };
  const last = isAgain ? (memory.standInOrdinal ?? 0) : forward ? 0 : hits.length + 1;
  const step = forward ? last + 1 : last - 1;
  const ordinal = ((step - 1 + hits.length) % hits.length) + 1;
  memory.standInOrdinal = ordinal;
  const hit = hits[ordinal - 1];
  if (hit) {
    const range = document.createRange();
    range.setStart(hit.node, hit.at);
    range.setEnd(hit.node, hit.at + wanted.length);
    window.getSelection()?.removeAllRanges();
    window.getSelection()?.addRange(range);
    hit.node.parentElement?.scrollIntoView({ block: 'center' });
  }
  return { matches: hits.length, activeMatchOrdinal: ordinal };
}
