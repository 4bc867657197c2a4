import { z } from 'zod';
export declare const HOST_METHODS: {
    readonly 'http.request': {
        readonly args: z.ZodObject<{
            method: z.ZodString;
            endpoint: z.ZodString;
            baseUrlOverride: z.ZodExactOptional<z.ZodString>;
            providerConfigKey: z.ZodExactOptional<z.ZodString>;
            connectionId: z.ZodExactOptional<z.ZodString>;
            headers: z.ZodExactOptional<z.ZodCustom<Record<string, string>, Record<string, string>>>;
            params: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodCustom<Record<string, string>, Record<string, string>>]>>;
            body: z.ZodExactOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
                kind: z.ZodLiteral<"text" | "json" | "form">;
                text: z.ZodString;
            }, z.core.$strip>, z.ZodObject<{
                kind: z.ZodLiteral<"bytes">;
                bytes: z.ZodCustom<Uint8Array<ArrayBufferLike>, Uint8Array<ArrayBufferLike>>;
            }, z.core.$strip>, z.ZodObject<{
                kind: z.ZodLiteral<"multipart">;
                parts: z.ZodPipe<z.ZodCustom<{
                    name: string;
                    text?: string;
                    bytes?: Uint8Array<ArrayBufferLike>;
                    filename?: string;
                    contentType?: string;
                }[], {
                    name: string;
                    text?: string;
                    bytes?: Uint8Array<ArrayBufferLike>;
                    filename?: string;
                    contentType?: string;
                }[]>, z.ZodArray<z.ZodObject<{
                    name: z.ZodString;
                    text: z.ZodExactOptional<z.ZodString>;
                    bytes: z.ZodExactOptional<z.ZodCustom<Uint8Array<ArrayBufferLike>, Uint8Array<ArrayBufferLike>>>;
                    filename: z.ZodExactOptional<z.ZodString>;
                    contentType: z.ZodExactOptional<z.ZodString>;
                }, z.core.$strip>>>;
            }, z.core.$strip>], "kind">>;
            retries: z.ZodExactOptional<z.ZodNumber>;
            retryOn: z.ZodExactOptional<z.ZodCustom<number[], number[]>>;
            retryHeader: z.ZodExactOptional<z.ZodObject<{
                at: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodCustom<string[], string[]>]>>;
                after: z.ZodExactOptional<z.ZodUnion<readonly [z.ZodString, z.ZodCustom<string[], string[]>]>>;
            }, z.core.$strip>>;
            decompress: z.ZodExactOptional<z.ZodBoolean>;
            forwardHeadersOnRedirect: z.ZodExactOptional<z.ZodBoolean>;
            expect: z.ZodLiteral<"text" | "bytes">;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            status: z.ZodNumber;
            statusText: z.ZodString;
            headers: z.ZodCustom<Record<string, string | string[]>, Record<string, string | string[]>>;
            body: z.ZodUnion<readonly [z.ZodString, z.ZodCustom<Uint8Array<ArrayBufferLike>, Uint8Array<ArrayBufferLike>>]>;
            config: z.ZodObject<{
                method: z.ZodString;
                url: z.ZodString;
                headers: z.ZodCustom<Record<string, string>, Record<string, string>>;
            }, z.core.$strip>;
        }, z.core.$strip>;
        readonly awaited: readonly ["get", "post", "put", "patch", "delete", "proxy"];
        readonly dryRun: "real";
    };
    readonly 'http.uncontrolledFetch': {
        readonly args: z.ZodObject<{
            url: z.ZodString;
            method: z.ZodString;
            headers: z.ZodCustom<Record<string, string>, Record<string, string>>;
            body: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            status: z.ZodNumber;
            statusText: z.ZodString;
            headers: z.ZodCustom<Record<string, string | string[]>, Record<string, string | string[]>>;
            body: z.ZodUnion<readonly [z.ZodString, z.ZodCustom<Uint8Array<ArrayBufferLike>, Uint8Array<ArrayBufferLike>>]>;
            url: z.ZodString;
        }, z.core.$strip>;
        readonly dryRun: "real";
    };
    readonly 'connection.get': {
        readonly args: z.ZodObject<{
            providerConfigKey: z.ZodExactOptional<z.ZodString>;
            connectionId: z.ZodExactOptional<z.ZodString>;
            refreshToken: z.ZodExactOptional<z.ZodBoolean>;
            forceRefresh: z.ZodExactOptional<z.ZodBoolean>;
            refreshGithubAppJwtToken: z.ZodExactOptional<z.ZodBoolean>;
        }, z.core.$strip>;
        readonly answer: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        readonly awaited: readonly ["getConnection", "getMetadata", "getFieldMapping"];
        readonly dryRun: "own";
        readonly recorded: {
            readonly getConnection: "required";
            readonly getMetadata: "required";
        };
    };
    /** Both answer the body of `POST` and `PATCH /connections/metadata`. */
    readonly 'metadata.set': {
        readonly args: z.ZodObject<{
            metadata: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        }, z.core.$strip>;
        readonly answer: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        readonly awaited: readonly ["setMetadata", "setFieldMapping"];
        readonly dryRun: "own";
    };
    readonly 'metadata.update': {
        readonly args: z.ZodObject<{
            metadata: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        }, z.core.$strip>;
        readonly answer: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        readonly awaited: readonly ["updateMetadata"];
        readonly dryRun: "own";
        readonly recorded: {
            readonly updateMetadata: "optional";
        };
    };
    readonly 'integration.get': {
        readonly args: z.ZodObject<{
            include: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly answer: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        readonly dryRun: "real";
    };
    readonly 'environment.variables': {
        readonly args: z.ZodObject<{}, z.core.$strip>;
        readonly answer: z.ZodArray<z.ZodObject<{
            name: z.ZodString;
            value: z.ZodString;
        }, z.core.$strip>>;
        readonly awaited: readonly ["getEnvironmentVariables"];
        readonly dryRun: "real";
    };
    /** `input` and `output` are JSON text. A failure rejects with `response.body` holding the body of functions.md 6.4. */
    readonly 'action.trigger': {
        readonly args: z.ZodObject<{
            actionName: z.ZodString;
            input: z.ZodExactOptional<z.ZodString>;
            providerConfigKey: z.ZodString;
            connectionId: z.ZodString;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            output: z.ZodString;
        }, z.core.$strip>;
        readonly awaited: readonly ["triggerAction"];
        readonly dryRun: "real";
    };
    readonly 'sync.trigger': {
        readonly args: z.ZodObject<{
            sync: z.ZodObject<{
                name: z.ZodString;
                variant: z.ZodString;
            }, z.core.$strip>;
            reset: z.ZodBoolean;
            emptyCache: z.ZodBoolean;
            providerConfigKey: z.ZodString;
            connectionId: z.ZodString;
        }, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["triggerSync"];
        readonly dryRun: "own";
    };
    readonly 'sync.start': {
        readonly args: z.ZodObject<{
            providerConfigKey: z.ZodString;
            syncs: z.ZodPipe<z.ZodCustom<{
                name: string;
                variant: string;
            }[], {
                name: string;
                variant: string;
            }[]>, z.ZodArray<z.ZodObject<{
                name: z.ZodString;
                variant: z.ZodString;
            }, z.core.$strip>>>;
            connectionId: z.ZodExactOptional<z.ZodString>;
        }, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["startSync"];
        readonly dryRun: "memory";
    };
    readonly 'records.save': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
            records: z.ZodCustom<RecordShape[], RecordShape[]>;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            added: z.ZodNumber;
            updated: z.ZodNumber;
            deleted: z.ZodNumber;
            unchanged: z.ZodNumber;
            duplicates: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly awaited: readonly ["batchSave", "batchSend"];
        readonly dryRun: "memory";
    };
    readonly 'records.update': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
            records: z.ZodCustom<RecordShape[], RecordShape[]>;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            added: z.ZodNumber;
            updated: z.ZodNumber;
            deleted: z.ZodNumber;
            unchanged: z.ZodNumber;
            duplicates: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly awaited: readonly ["batchUpdate"];
        readonly dryRun: "memory";
    };
    readonly 'records.delete': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
            ids: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            added: z.ZodNumber;
            updated: z.ZodNumber;
            deleted: z.ZodNumber;
            unchanged: z.ZodNumber;
            duplicates: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly awaited: readonly ["batchDelete"];
        readonly dryRun: "memory";
    };
    /** Absent ids are absent. */
    readonly 'records.getByIds': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
            ids: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            records: z.ZodCustom<RecordShape[], RecordShape[]>;
        }, z.core.$strip>;
        readonly dryRun: "real";
    };
    readonly 'records.list': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
            cursor: z.ZodExactOptional<z.ZodString>;
            limit: z.ZodInt;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            records: z.ZodCustom<RecordShape[], RecordShape[]>;
            nextCursor: z.ZodNullable<z.ZodString>;
        }, z.core.$strip>;
        readonly dryRun: "real";
    };
    readonly 'records.setMergingStrategy': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
            strategy: z.ZodLiteral<"override" | "ignore_if_modified_after">;
        }, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["setMergingStrategy"];
        readonly dryRun: "memory";
    };
    readonly 'records.trackDeletesStart': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
        }, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["trackDeletesStart"];
        readonly dryRun: "memory";
        readonly recorded: {
            readonly trackDeletesStart: "optional";
        };
    };
    readonly 'records.trackDeletesEnd': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            deletedKeys: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly awaited: readonly ["trackDeletesEnd"];
        readonly dryRun: "memory";
        readonly recorded: {
            readonly trackDeletesEnd: "optional";
        };
    };
    readonly 'records.deleteFromPreviousExecutions': {
        readonly args: z.ZodObject<{
            model: z.ZodString;
        }, z.core.$strip>;
        readonly answer: z.ZodObject<{
            deletedKeys: z.ZodCustom<string[], string[]>;
        }, z.core.$strip>;
        readonly awaited: readonly ["deleteRecordsFromPreviousExecutions"];
        readonly dryRun: "memory";
        readonly recorded: {
            readonly deleteRecordsFromPreviousExecutions: "optional";
        };
    };
    readonly 'checkpoint.get': {
        readonly args: z.ZodObject<{}, z.core.$strip>;
        readonly answer: z.ZodNullable<z.ZodCustom<Record<string, unknown>, Record<string, unknown>>>;
        readonly dryRun: "memory";
    };
    readonly 'checkpoint.save': {
        readonly args: z.ZodObject<{
            checkpoint: z.ZodCustom<Record<string, unknown>, Record<string, unknown>>;
        }, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["saveCheckpoint"];
        readonly dryRun: "memory";
    };
    readonly 'checkpoint.clear': {
        readonly args: z.ZodObject<{}, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["clearCheckpoint"];
        readonly dryRun: "memory";
    };
    readonly 'lock.acquire': {
        readonly args: z.ZodObject<{
            key: z.ZodString;
            ttlMs: z.ZodNumber;
        }, z.core.$strip>;
        readonly answer: z.ZodBoolean;
        readonly awaited: readonly ["tryAcquireLock"];
        readonly dryRun: "memory";
    };
    readonly 'lock.release': {
        readonly args: z.ZodObject<{
            key: z.ZodString;
        }, z.core.$strip>;
        readonly answer: z.ZodBoolean;
        readonly awaited: readonly ["releaseLock"];
        readonly dryRun: "memory";
    };
    readonly 'lock.releaseAll': {
        readonly args: z.ZodObject<{}, z.core.$strip>;
        readonly answer: z.ZodNull;
        readonly awaited: readonly ["releaseAllLocks"];
        readonly dryRun: "memory";
    };
};
export type HostMethodTable = typeof HOST_METHODS;
export declare function isHostMethod(name: unknown): name is keyof HostMethodTable;
/** Members of the context object that the compiler wants awaited. */
export declare function awaitedMembers(): string[];
/** One record on its way: `json` is its JSON text with `id` made a string and `_nango_metadata` removed. */
interface RecordShape {
    id: string;
    json: string;
}
export {};
