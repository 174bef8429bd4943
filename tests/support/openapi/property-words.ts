/** A property of a schema in an OpenAPI document. */
export interface Property {
  /** The schema, or the operation with `request` or its status, and the names down to the property. */
  place: string;
  name: string;
  /** Its own, or that of the named schema it refers to. */
  words: string;
}

type Json = Record<string, unknown>;

/** Words that say nothing by themselves. */
const FILLERS: ReadonlySet<string> = new Set(
  'a an and are as at be been by for from has have if in is it its of on or that the this to was were what when where whether which who will with'.split(
    ' ',
  ),
);
/** So many letters of two words are the same when they mean the same: `created`, `creation`. */
const STEM_LENGTH = 4;

/** Returns every property of the named schemas, and of the bodies of requests and responses. */
export function propertiesOf(document: Json): Property[] {
  const schemas = jsonOf(jsonOf(document.components).schemas);
  const wordsOf = ({ description, $ref }: Json): string => {
    if (typeof description === 'string') return description;
    return typeof $ref === 'string' ? wordsOf(jsonOf(schemas[$ref.split('/').at(-1) ?? ''])) : '';
  };
  const found: Property[] = [];
  const collect = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const each of value) collect(each, place);
    const schema = jsonOf(value);
    for (const [name, property] of Object.entries(jsonOf(schema.properties))) {
      const own = `${place}.${name}`;
      found.push({ place: own, name, words: wordsOf(jsonOf(property)) });
      collect(property, own);
    }
    for (const part of ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'])
      collect(schema[part], place);
  };
  for (const [name, schema] of Object.entries(schemas)) collect(schema, name);
  for (const path of Object.values(jsonOf(document.paths))) {
    for (const operation of Object.values(jsonOf(path)).map(jsonOf)) {
      const id = String(operation.operationId);
      for (const schema of bodiesOf(operation.requestBody)) collect(schema, `${id} request`);
      for (const [status, response] of Object.entries(jsonOf(operation.responses))) {
        for (const schema of bodiesOf(response)) collect(schema, `${id} ${status}`);
      }
    }
  }
  return found;
}

/** Returns whether words tell nothing that the names down to the property do not, such as `The name.` */
export function onlyRepeatsName({ place, words }: Pick<Property, 'place' | 'words'>): boolean {
  const known = wordsIn(place.replace(/[a-z](?=[A-Z])/g, '$& '));
  const told = wordsIn(words).filter((word) => !FILLERS.has(word));
  return told.every((word) => known.some((name) => stem(name) === stem(word)));
}

function stem(word: string): string {
  return word.slice(0, STEM_LENGTH);
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function bodiesOf(message: unknown): unknown[] {
  return Object.values(jsonOf(jsonOf(message).content)).map((content) => jsonOf(content).schema);
}

function jsonOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
