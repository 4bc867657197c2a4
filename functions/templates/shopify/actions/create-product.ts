import { createAction } from 'homeport';
import * as z from 'zod';
import { accepted, askShopify, type UserError } from '../ask-shopify.js';
import { Product } from '../models.js';
import { PRODUCT_FIELDS, type ShopifyProduct, toProduct } from '../shopify-product.js';

const NewProduct = z.object({
  title: z.string().min(1).max(255),
  /** HTML. */
  description: z.string().optional(),
  vendor: z.string().optional(),
  type: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** Default: false, so that customers do not see the product yet. */
  is_active: z.boolean().optional(),
});

const CREATE_PRODUCT = `
  mutation CreateProduct($product: ProductCreateInput!) {
    productCreate(product: $product) { product { ...ProductFields } userErrors { field message } }
  }
  ${PRODUCT_FIELDS}
`;

const READ_PRODUCT = `
  query ReadProduct($id: ID!) { product(id: $id) { ...ProductFields } }
  ${PRODUCT_FIELDS}
`;

const DELETE_PRODUCT = `
  mutation DeleteProduct($id: ID!) {
    productDelete(input: { id: $id }) { deletedProductId userErrors { field message } }
  }
`;

export default createAction({
  description: 'Creates a product with one variant, as a draft unless it is to be active',
  version: '1.0.0',
  input: NewProduct,
  output: Product,
  scopes: ['write_products'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewProduct, input });

    // https://shopify.dev/docs/api/admin-graphql/latest/mutations/productCreate
    const { productCreate } = await askShopify<{
      productCreate: { product: ShopifyProduct | null; userErrors: UserError[] };
    }>(nango, {
      query: CREATE_PRODUCT,
      variables: {
        product: {
          title: data.title,
          descriptionHtml: data.description,
          vendor: data.vendor,
          productType: data.type,
          tags: data.tags,
          status: data.is_active ? 'ACTIVE' : 'DRAFT',
        },
      },
    });

    return toProduct(accepted(nango, productCreate.product, productCreate.userErrors));
  },

  undo: async (nango, { output }) => {
    const variables = { id: `gid://shopify/Product/${output.id}` };
    const { product } = await askShopify<{ product: ShopifyProduct | null }>(nango, {
      query: READ_PRODUCT,
      variables,
      retries: 3,
    });
    if (product?.updatedAt !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The product was changed since that call.' });
    const { productDelete } = await askShopify<{
      productDelete: { deletedProductId: string | null; userErrors: UserError[] };
    }>(nango, { query: DELETE_PRODUCT, variables });
    accepted(nango, productDelete.deletedProductId, productDelete.userErrors);
  },
});
