import { createAction } from 'homeport';
import * as z from 'zod';
import { accepted, askShopify, type UserError } from '../ask-shopify.js';
import { Order } from '../models.js';
import { ORDER_FIELDS, type ShopifyOrder, toOrder } from '../shopify-order.js';

/** Missing members stay unchanged. */
const Changes = z.object({
  id: z.string().regex(/^\d+$/),
  note: z.string().optional(),
  email: z.email().optional(),
  /** The complete list of tags. Other tags are removed. */
  tags: z.array(z.string().min(1)).optional(),
});

const UPDATE_ORDER = `
  mutation UpdateOrder($input: OrderInput!) {
    orderUpdate(input: $input) { order { ...OrderFields } userErrors { field message } }
  }
  ${ORDER_FIELDS}
`;

export default createAction({
  description: 'Changes the note, the tags or the e-mail address of an order',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  input: Changes,
  output: Order,
  scopes: ['write_orders', 'read_customers'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Changes, input });

    // https://shopify.dev/docs/api/admin-graphql/latest/mutations/orderUpdate
    const { orderUpdate } = await askShopify<{
      orderUpdate: { order: ShopifyOrder | null; userErrors: UserError[] };
    }>(nango, {
      query: UPDATE_ORDER,
      variables: { input: { ...data, id: `gid://shopify/Order/${data.id}` } },
    });

    return toOrder(accepted(nango, orderUpdate.order, orderUpdate.userErrors));
  },
});
