import { z } from 'zod';
import { hashAddress } from '../../../lib/address-hash.ts';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const mailProfile = z.object({ emailAddress: z.string().min(1) });
const primaryCalendar = z.object({ id: z.string().min(1) });

/** Incoming notices are matched by this hash, so that the address itself stays out of the configuration. */
export const googleMailPostConnection: PostConnectionStep = async (context) => {
  const { emailAddress } = await ask(context, 'its address', { endpoint: '/gmail/v1/users/me/profile' }, mailProfile);
  return { emailAddressHash: hashAddress(emailAddress) };
};

/** The id of a primary calendar is the address of its owner. */
export const googleCalendarPostConnection: PostConnectionStep = async (context) => {
  const request = { endpoint: '/calendar/v3/users/me/calendarList/primary' };
  const { id } = await ask(context, 'its primary calendar', request, primaryCalendar);
  return { emailAddressHash: hashAddress(id) };
};
