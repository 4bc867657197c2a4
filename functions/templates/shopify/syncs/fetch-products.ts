import { createSync } from 'homeport';
import { shopifyPages } from '../ask-shopify.js';
import { Product } from '../models.js';
import { PRODUCT_FIELDS, type ShopifyProduct, toProduct } from '../shopify-product.js';

/** https://shopify.dev/docs/api/admin-graphql/latest/queries/products */
const PRODUCTS = `
  query Products($after: String) {
    products(first: 10, after: $after, sortKey: ID) {
      nodes { ...ProductFields }
      pageInfo { hasNextPage endCursor }
    }
  }
  ${PRODUCT_FIELDS}
`;

/** A full sync: a missing product is marked as deleted. */
export default createSync({
  description: 'Keeps a copy of all products with their variants and prices',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every 6 hours',
  autoStart: true,
  models: { Product },
  scopes: ['read_products'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Product');

    for await (const products of shopifyPages<ShopifyProduct>(nango, { name: 'products', query: PRODUCTS })) {
      await nango.batchSave(products.map(toProduct), 'Product');
    }

    await nango.trackDeletesEnd('Product');
  },
});
