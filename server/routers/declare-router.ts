import type { AnyTRPCProcedure } from '@trpc/server';
import type { z } from 'zod';
import { KIND_OF_CODE } from '../error-codes.ts';
import { procedures } from './call-procedures.ts';
import { printType } from './print-type.ts';

/** The procedures as a tree, by the parts of their dotted names. */
interface Tree {
  [name: string]: string | Tree;
}

/**
 * Returns declarations of what `client-types.ts` exports, which need no types other than those of
 * `@trpc/server`: the types of the procedures' schemas, written out. A tool can compile against them without
 * this program's sources.
 */
export function declareRouter(): string {
  const tree: Tree = {};
  for (const [path, procedure] of Object.entries(procedures)) {
    if (procedure) place(tree, path.split('.'), declareProcedure(procedure));
  }
  const codes = Object.keys(KIND_OF_CODE).map((code) => `  | '${code}'`);
  return `${HEAD}
export type ErrorCode =
${codes.join('\n')};
${ERRORS}
/** Every procedure of the console. */
export type AppRouter = TRPCBuiltRouter<Root, ${printTree(tree, '')}>;

/** What each procedure takes, e.g. \`RouterInputs['sites']['create']\`. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** What each procedure returns, e.g. \`RouterOutputs['sites']['list']['items'][number]\`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
`;
}

const HEAD = `import type {
  inferRouterInputs,
  inferRouterOutputs,
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from '@trpc/server';

/** Why a call was refused. A code keeps its meaning. */`;

const ERRORS = `
export type ErrorParams = Record<string, string | number>;

/** One invalid field: where it is and what is wrong with it, in English. */
export interface FieldError {
  path: string;
  message: string;
}

/** The \`data.error\` of a TRPCClientError. */
export interface ErrorShape {
  code: ErrorCode;
  message: string;
  params: ErrorParams;
  fields: FieldError[];
  request_id: string | null;
}

type Code = TRPCDefaultErrorShape['data']['code'];
interface Root {
  ctx: object;
  meta: object;
  errorShape: { message: string; code: TRPCDefaultErrorShape['code']; data: { code: Code; httpStatus: number; error: ErrorShape } };
  transformer: true;
}
type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: object }>;
type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: object }>;
`;

function declareProcedure({ _def }: AnyTRPCProcedure): string {
  // tRPC's type of a procedure hides the schemas that it keeps there; all of ours are zod's.
  const { inputs, output, type } = _def as unknown as {
    inputs: z.ZodType[];
    output?: z.ZodType;
    type: string;
  };
  const input = inputs.map((schema) => `(${printType(schema, 'input')})`).join(' & ');
  const kind = type === 'query' ? 'Query' : 'Mutation';
  return `${kind}<${input || 'void'}, ${output ? printType(output, 'output') : 'void'}>`;
}

function place(tree: Tree, [name = '', ...rest]: string[], declared: string): void {
  if (rest.length === 0) {
    tree[name] = declared;
    return;
  }
  const branch = tree[name] ?? {};
  if (typeof branch === 'string') throw new Error(`${name} is a procedure and a router`);
  tree[name] = branch;
  place(branch, rest, declared);
}

function printTree(tree: Tree, indent: string): string {
  const lines = Object.entries(tree).map(([name, value]) => {
    const printed = typeof value === 'string' ? value : printTree(value, `${indent}  `);
    return `${indent}  ${name}: ${printed};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}
