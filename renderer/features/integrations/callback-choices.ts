import { type Callback, REDIRECTOR } from '../../api/contract.ts';
import { isLoopback } from '../../lib/loopback.ts';

export interface CallbackChoice {
  /** The setting of the environment; empty when there is none. */
  setting: string;
  url: string;
  label: string;
  hint: string;
}

const PATH = '/oauth/callback';
const NAMES = ['localhost', '127.0.0.1'] as const;
type LoopbackName = (typeof NAMES)[number];

/** The callback address under both names of this computer. */
export const spellings = ({ port }: Callback): Record<LoopbackName, string> =>
  Object.fromEntries(NAMES.map((name) => [name, `http://${name}:${port}${PATH}`])) as Record<LoopbackName, string>;

/** The callback addresses that an environment can use. */
export function callbackChoices(callback: Callback): CallbackChoice[] {
  const { ownUrl } = callback;
  const spelled = spellings(callback);
  const names = NAMES.filter((name) => spelled[name] !== ownUrl).map((name) => ({
    setting: spelled[name],
    url: spelled[name],
    label: `This computer as ${name}`,
    hint: 'For providers that take only this spelling.',
  }));
  const redirector = `${REDIRECTOR}${spelled.localhost}`;
  return [
    {
      setting: '',
      url: ownUrl,
      label: isLoopback(ownUrl) ? `This computer as ${new URL(ownUrl).hostname}` : 'The public address of this hub',
      hint: 'What Homeport uses when nothing else is chosen.',
    },
    ...names,
    {
      setting: redirector,
      url: redirector,
      label: 'An https redirector in between',
      hint: `For providers that take only https. ${new URL(REDIRECTOR).host} redirects to this computer and sees the sign-in code on its way; the code is useless without your client secret.`,
    },
  ];
}
