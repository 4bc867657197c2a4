import { createSync } from 'homeport';
import { stripePages } from '../ask-stripe.js';
import { Customer } from '../models.js';
import { type StripeCustomer, toCustomer } from '../stripe-customer.js';

/** A full sync: Stripe cannot list only the changed customers, and it does not list deleted ones. */
export default createSync({
  description: 'Keeps a copy of all customers',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every 6 hours',
  autoStart: true,
  models: { Customer },

  exec: async (nango) => {
    await nango.trackDeletesStart('Customer');

    // https://docs.stripe.com/api/customers/list
    for await (const customers of stripePages<StripeCustomer>(nango, '/v1/customers')) {
      await nango.batchSave(customers.map(toCustomer), 'Customer');
    }

    await nango.trackDeletesEnd('Customer');
  },
});
