import { createAction } from 'homeport';
import * as z from 'zod';
import { postStripe, toIso } from '../ask-stripe.js';
import { Refund } from '../models.js';

const NewRefund = z.object({
  payment_intent: z.string().min(1),
  /** In the smallest unit of the currency. Default: the amount that was not refunded yet. */
  amount: z.number().int().positive().optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  /** Required here, because a refund that was sent twice by mistake is hard to recover. */
  idempotency_key: z.string().min(1).max(255),
});

/** https://docs.stripe.com/api/refunds/object */
interface StripeRefund {
  id: string;
  amount: number;
  currency: string;
  status: string | null;
  reason: string | null;
  payment_intent: string | null;
  charge: string | null;
  created: number;
}

export default createAction({
  description: 'Refunds a payment, fully or in part',
  version: '1.0.0',
  input: NewRefund,
  output: Refund,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewRefund, input });
    const { idempotency_key: idempotencyKey, ...form } = data;

    // https://docs.stripe.com/api/refunds/create
    const refund = await postStripe<StripeRefund>(nango, { endpoint: '/v1/refunds', form, idempotencyKey });

    return {
      id: refund.id,
      amount: refund.amount,
      currency: refund.currency,
      status: refund.status,
      reason: refund.reason,
      payment_intent_id: refund.payment_intent,
      charge_id: refund.charge,
      created_at: toIso(refund.created),
    };
  },
});
