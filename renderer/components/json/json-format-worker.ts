import { printJson } from '../../lib/json-digits.ts';

/** Formats JSON with an indentation of two spaces in a worker; other text comes back unchanged. */
interface Scope {
  addEventListener: (name: 'message', listener: (event: { data: string }) => void) => void;
  postMessage: (text: string) => void;
}

// The types of the DOM know the global of a page, not that of a worker.
const scope = globalThis as unknown as Scope;

scope.addEventListener('message', ({ data }) => {
  scope.postMessage(printJson(data));
});
