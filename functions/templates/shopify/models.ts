import * as z from 'zod';

/** Ids are Shopify's numbers, as in its webhooks and addresses. Amounts are in the currency of the shop. */
export const Order = z.object({
  id: z.string(),
  /** The name that customers see, for example #1001. */
  name: z.string(),
  customer_id: z.string().nullable(),
  email: z.string().nullable(),
  currency: z.string(),
  total: z.string(),
  /** PAID, PENDING, REFUNDED, ... */
  payment: z.string().nullable(),
  /** FULFILLED, UNFULFILLED, PARTIALLY_FULFILLED, ... */
  fulfillment: z.string(),
  tags: z.array(z.string()),
  note: z.string().nullable(),
  items: z.array(
    z.object({
      id: z.string(),
      variant_id: z.string().nullable(),
      sku: z.string().nullable(),
      title: z.string(),
      quantity: z.number(),
    }),
  ),
  created_at: z.string(),
  updated_at: z.string(),
  cancelled_at: z.string().nullable(),
});

export const Product = z.object({
  id: z.string(),
  title: z.string(),
  /** Last part of the product's address in the shop. */
  handle: z.string(),
  /** ACTIVE, ARCHIVED, DRAFT, ... */
  status: z.string(),
  vendor: z.string(),
  type: z.string(),
  tags: z.array(z.string()),
  inventory: z.number(),
  variants: z.array(z.object({ id: z.string(), title: z.string(), sku: z.string().nullable(), price: z.string() })),
  created_at: z.string(),
  updated_at: z.string(),
});
