/** A tool as the Responses API spells it, each kind as such. */
import type { JsonObject } from '../core/json-object.js';
import type { ToolSpec } from '../core/tool.js';

export function responsesTool(spec: ToolSpec): JsonObject {
  switch (spec.kind) {
    case 'function': {
      const { name, description, strict, parameters } = spec;
      return { type: 'function', name, description, strict, parameters };
    }
    case 'custom': {
      const { name, description, grammar } = spec;
      const format = grammar && { type: 'grammar', syntax: grammar.syntax, definition: grammar.text };
      return { type: 'custom', name, description, ...(format && { format }) };
    }
    case 'hosted':
      return { type: spec.name, ...spec.options };
  }
}
