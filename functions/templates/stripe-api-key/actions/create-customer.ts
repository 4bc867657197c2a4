import { createAction } from 'homeport';
import * as z from 'zod';
import { postStripe } from '../ask-stripe.js';
import { Customer } from '../models.js';
import { type StripeCustomer, toCustomer } from '../stripe-customer.js';

const NewCustomer = z.object({
  email: z.email(),
  name: z.string().optional(),
  phone: z.string().optional(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  /** With the same key Stripe never creates a second customer, however often the action is called. */
  idempotency_key: z.string().max(255).optional(),
});

export default createAction({
  description: 'Creates a customer',
  version: '1.0.0',
  input: NewCustomer,
  output: Customer,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewCustomer, input });
    const { idempotency_key: idempotencyKey, ...form } = data;

    // https://docs.stripe.com/api/customers/create
    const customer = await postStripe<StripeCustomer>(nango, { endpoint: '/v1/customers', form, idempotencyKey });

    return toCustomer(customer);
  },

  // Deleting a customer would also end its subscriptions.
  undo: async (nango, { output }) => {
    const { data } = await nango.get<{ data: unknown[] }>({
      endpoint: '/v1/subscriptions',
      params: { customer: output.id, limit: 1 },
      retries: 3,
    });
    if (data.data.length > 0)
      throw new nango.ActionError({ code: 'changed_since', message: 'The customer has a subscription since that call.' });
    await nango.delete({ endpoint: `/v1/customers/${output.id}` });
  },
});
