import { createSync } from 'homeport';
import * as z from 'zod';
import { askShopify, shopifyPages } from '../ask-shopify.js';
import { Order } from '../models.js';
import { ORDER_FIELDS, type ShopifyOrder, toOrder } from '../shopify-order.js';

/**
 * https://shopify.dev/docs/api/admin-graphql/latest/queries/orders. A query may cost 1,000 points; an order with its
 * items costs 85.
 */
const CHANGED_ORDERS = `
  query ChangedOrders($after: String, $query: String) {
    orders(first: 10, after: $after, query: $query, sortKey: UPDATED_AT) {
      nodes { ...OrderFields }
      pageInfo { hasNextPage endCursor }
    }
  }
  ${ORDER_FIELDS}
`;

const ONE_ORDER = `
  query OneOrder($id: ID!) { order(id: $id) { ...OrderFields } }
  ${ORDER_FIELDS}
`;

/** https://shopify.dev/docs/api/webhooks: the event of a deleted order contains only its id. */
interface ShopifyWebhook {
  id: number;
}

/**
 * Runs on a schedule and for Shopify's webhooks. The scheduled run finds changes; only a webhook reports a deletion.
 * Without the scope `read_all_orders` Shopify returns the orders of the last 60 days.
 */
export default createSync({
  description: 'Keeps a copy of the orders of the shop, by what changed since the last run and by webhooks',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Order },
  checkpoint: z.object({ updatedSince: z.string() }),
  scopes: ['read_orders', 'read_customers'],
  webhookSubscriptions: ['orders/create', 'orders/updated', 'orders/delete'],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const query = checkpoint ? `updated_at:>='${checkpoint.updatedSince}'` : null;
    const pages = shopifyPages<ShopifyOrder>(nango, { name: 'orders', query: CHANGED_ORDERS, variables: { query } });

    for await (const orders of pages) {
      await nango.batchSave(orders.map(toOrder), 'Order');

      // Orders are sorted by their last change. A run that is interrupted continues after this page.
      const last = orders.at(-1);
      if (last) {
        await nango.saveCheckpoint({ updatedSince: last.updatedAt });
      }
    }
  },

  onWebhook: async (nango, { id }: ShopifyWebhook) => {
    // Read again instead of taken from the webhook: the record then equals that of a run, and the order of webhooks
    // does not matter.
    const { order } = await askShopify<{ order: ShopifyOrder | null }>(nango, {
      query: ONE_ORDER,
      variables: { id: `gid://shopify/Order/${id}` },
      retries: 3,
    });
    if (order) {
      await nango.batchSave([toOrder(order)], 'Order');
    } else {
      await nango.batchDelete([{ id: String(id) }], 'Order');
    }
  },
});
