import type * as z from 'zod';
import { toNumber } from './ask-shopify.js';
import type { Order } from './models.js';

/** https://shopify.dev/docs/api/admin-graphql/latest/objects/Order. Items after the 40th are left out. */
export const ORDER_FIELDS = `
  fragment OrderFields on Order {
    id name email note tags createdAt updatedAt cancelledAt
    displayFinancialStatus displayFulfillmentStatus
    totalPriceSet { shopMoney { amount currencyCode } }
    customer { id }
    lineItems(first: 40) { nodes { id title sku quantity variant { id } } }
  }
`;

export interface ShopifyOrder {
  id: string;
  name: string;
  email: string | null;
  note: string | null;
  tags: string[];
  createdAt: string;
  updatedAt: string;
  cancelledAt: string | null;
  displayFinancialStatus: string | null;
  displayFulfillmentStatus: string;
  totalPriceSet: { shopMoney: { amount: string; currencyCode: string } };
  customer: { id: string } | null;
  lineItems: {
    nodes: Array<{ id: string; title: string; sku: string | null; quantity: number; variant: { id: string } | null }>;
  };
}

export function toOrder(order: ShopifyOrder): z.infer<typeof Order> {
  const { amount, currencyCode } = order.totalPriceSet.shopMoney;
  return {
    id: toNumber(order.id),
    name: order.name,
    customer_id: order.customer && toNumber(order.customer.id),
    email: order.email,
    currency: currencyCode,
    total: amount,
    payment: order.displayFinancialStatus,
    fulfillment: order.displayFulfillmentStatus,
    tags: order.tags,
    note: order.note,
    items: order.lineItems.nodes.map(({ id, variant, sku, title, quantity }) => ({
      id: toNumber(id),
      variant_id: variant && toNumber(variant.id),
      sku,
      title,
      quantity,
    })),
    created_at: order.createdAt,
    updated_at: order.updatedAt,
    cancelled_at: order.cancelledAt,
  };
}
