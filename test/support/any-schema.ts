import fc from 'fast-check';

const anyType = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'file');

/** Schema-shaped values with everything that goes wrong in the wild, and now and then plain nonsense. */
export const anySchema = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.jsonValue({ maxDepth: 2 }),
    fc.record(
      {
        type: fc.oneof(anyType, fc.array(anyType, { maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })),
        description: fc.oneof(fc.string(), fc.integer()),
        title: fc.string(),
        default: fc.jsonValue({ maxDepth: 1 }),
        enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), { maxLength: 4 }),
        const: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
        properties: fc.oneof(
          fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('schema'), { maxKeys: 4 }),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        required: fc.oneof(fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }), fc.boolean()),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
        prefixItems: fc.array(tie('schema'), { maxLength: 3 }),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { maxLength: 3 }),
        allOf: fc.array(tie('schema'), { maxLength: 3 }),
        $ref: fc.constantFrom('#', '#/$defs/A', '#/$defs/B', '#/properties/a', '#/$defs/%', 'other.json', ''),
        $defs: fc.dictionary(fc.constantFrom('A', 'B', '%'), tie('schema'), { maxKeys: 2 }),
        minimum: fc.integer(),
        format: fc.string(),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;
