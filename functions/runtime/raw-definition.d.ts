import { z } from 'zod';
/**
 * What `describe` reads out of a bundle's default export without running `exec`: the definition with its schemas
 * already turned into JSON schemas (functions.md 1.9). The host checks it: the module that is described may have
 * changed the built-ins that describe it.
 */
export declare const rawDefinition: z.ZodObject<{
    type: z.ZodLiteral<"function" | "sync" | "action" | "onEvent">;
    props: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    models: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    }, z.core.$strip>>>;
    metadata: z.ZodExactOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
    input: z.ZodExactOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
    output: z.ZodExactOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
    hasOnWebhook: z.ZodBoolean;
}, z.core.$strip>;
/** What became of each bundle that was described together with others, in their order. */
export declare const describedParts: z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
    ok: z.ZodLiteral<true>;
    definition: z.ZodObject<{
        type: z.ZodLiteral<"function" | "sync" | "action" | "onEvent">;
        props: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        models: z.ZodExactOptional<z.ZodArray<z.ZodObject<{
            name: z.ZodString;
            schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        }, z.core.$strip>>>;
        metadata: z.ZodExactOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
        input: z.ZodExactOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
        output: z.ZodExactOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
        hasOnWebhook: z.ZodBoolean;
    }, z.core.$strip>;
}, z.core.$strip>, z.ZodObject<{
    ok: z.ZodLiteral<false>;
}, z.core.$strip>], "ok">>;
