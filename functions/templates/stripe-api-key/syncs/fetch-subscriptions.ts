import { createSync } from 'homeport';
import type * as z from 'zod';
import { stripePages, toIso, toIsoOrNull } from '../ask-stripe.js';
import { Subscription } from '../models.js';

/** https://docs.stripe.com/api/subscriptions/object */
interface StripeSubscription {
  id: string;
  customer: string;
  status: string;
  currency: string;
  items: { data: StripeItem[] };
  cancel_at_period_end: boolean;
  trial_end: number | null;
  canceled_at: number | null;
  created: number;
}

interface StripeItem {
  id: string;
  price: { id: string; product: string; unit_amount: number | null; recurring: { interval: string } | null };
  quantity?: number;
  current_period_end: number;
}

/**
 * A full sync: a subscription that Stripe no longer lists is marked as deleted. Canceled subscriptions are kept with
 * their status.
 */
export default createSync({
  description: 'Keeps a copy of all subscriptions, canceled ones too, with their prices',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every hour',
  autoStart: true,
  models: { Subscription },

  exec: async (nango) => {
    await nango.trackDeletesStart('Subscription');

    // https://docs.stripe.com/api/subscriptions/list
    // Without `status` the canceled ones are left out.
    const pages = stripePages<StripeSubscription>(nango, '/v1/subscriptions', { status: 'all' });

    for await (const subscriptions of pages) {
      await nango.batchSave(subscriptions.map(toSubscription), 'Subscription');
    }

    await nango.trackDeletesEnd('Subscription');
  },
});

function toSubscription(subscription: StripeSubscription): z.infer<typeof Subscription> {
  return {
    id: subscription.id,
    customer_id: subscription.customer,
    status: subscription.status,
    currency: subscription.currency,
    items: subscription.items.data.map(({ id, price, quantity, current_period_end }) => ({
      id,
      price_id: price.id,
      product_id: price.product,
      quantity: quantity ?? null,
      unit_amount: price.unit_amount,
      interval: price.recurring?.interval ?? null,
      period_end: toIso(current_period_end),
    })),
    cancels_at_period_end: subscription.cancel_at_period_end,
    trial_end: toIsoOrNull(subscription.trial_end),
    canceled_at: toIsoOrNull(subscription.canceled_at),
    created_at: toIso(subscription.created),
  };
}
