import type * as z from 'zod';
import { toNumber } from './ask-shopify.js';
import type { Product } from './models.js';

/** https://shopify.dev/docs/api/admin-graphql/latest/objects/Product. Variants after the 60th are left out. */
export const PRODUCT_FIELDS = `
  fragment ProductFields on Product {
    id title handle status vendor productType tags totalInventory createdAt updatedAt
    variants(first: 60) { nodes { id title sku price } }
  }
`;

export interface ShopifyProduct {
  id: string;
  title: string;
  handle: string;
  status: string;
  vendor: string;
  productType: string;
  tags: string[];
  totalInventory: number;
  createdAt: string;
  updatedAt: string;
  variants: { nodes: Array<{ id: string; title: string; sku: string | null; price: string }> };
}

export function toProduct(product: ShopifyProduct): z.infer<typeof Product> {
  return {
    id: toNumber(product.id),
    title: product.title,
    handle: product.handle,
    status: product.status,
    vendor: product.vendor,
    type: product.productType,
    tags: product.tags,
    inventory: product.totalInventory,
    variants: product.variants.nodes.map(({ id, title, sku, price }) => ({ id: toNumber(id), title, sku, price })),
    created_at: product.createdAt,
    updated_at: product.updatedAt,
  };
}
