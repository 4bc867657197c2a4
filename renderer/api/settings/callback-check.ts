import type { StatusLook } from '../../lib/status.ts';
import type { CallbackCheck } from '../contract.ts';

const ANSWERS: StatusLook = { label: 'Answers', tone: 'ok', icon: 'check' };
const ELSEWHERE: StatusLook = { label: 'Something else answers', tone: 'bad', icon: 'alert' };
const SILENT: StatusLook = { label: 'Does not answer', tone: 'bad', icon: 'alert' };

/** Style and sentence for the result of a check. */
export function readCheck(check: CallbackCheck): { look: StatusLook; text: string } {
  switch (check.found) {
    case 'hub':
    case 'own':
      return { look: ANSWERS, text: 'Homeport itself answers there.' };
    case 'forwards':
      return { look: ELSEWHERE, text: `It redirects to ${check.target}, which is not this hub.` };
    case 'foreign':
      return { look: ELSEWHERE, text: `Its status was ${check.status}. Does the address lead to another program?` };
    case 'nothing':
      return { look: SILENT, text: `${check.reason.replace(/\.$/, '')}. Is the tunnel running?` };
  }
}
