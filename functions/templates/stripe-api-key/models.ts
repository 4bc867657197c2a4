import * as z from 'zod';

/** Amounts are in the smallest unit of their currency: https://docs.stripe.com/currencies#minor-units */
export const Customer = z.object({
  id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  description: z.string().nullable(),
  country: z.string().nullable(),
  currency: z.string().nullable(),
  /** A negative balance is a credit of the customer. */
  balance: z.number(),
  is_delinquent: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  created_at: z.string(),
});

export const Subscription = z.object({
  id: z.string(),
  customer_id: z.string(),
  status: z.string(),
  currency: z.string(),
  items: z.array(
    z.object({
      id: z.string(),
      price_id: z.string(),
      product_id: z.string(),
      quantity: z.number().nullable(),
      /** Null for prices with tiers. */
      unit_amount: z.number().nullable(),
      interval: z.string().nullable(),
      period_end: z.string(),
    }),
  ),
  cancels_at_period_end: z.boolean(),
  trial_end: z.string().nullable(),
  canceled_at: z.string().nullable(),
  created_at: z.string(),
});

export const BalanceTransaction = z.object({
  id: z.string(),
  type: z.string(),
  amount: z.number(),
  fee: z.number(),
  net: z.number(),
  currency: z.string(),
  /** Id of the charge, refund, payout or other object that caused the entry. */
  source_id: z.string().nullable(),
  description: z.string().nullable(),
  available_at: z.string(),
  created_at: z.string(),
});

export const Refund = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  /** pending, requires_action, succeeded, failed or canceled. */
  status: z.string().nullable(),
  reason: z.string().nullable(),
  payment_intent_id: z.string().nullable(),
  charge_id: z.string().nullable(),
  created_at: z.string(),
});
