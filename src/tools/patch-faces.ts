/** The ways in which a model may be told to hand over a patch. Whatever it was told, it may use any of them. */
import type { ObjectSchema } from '../core/json-schema.js';
import type { PatchFace } from '../core/selection.js';
import type { CustomSpec, FunctionSpec, ToolSpec } from '../core/tool.js';

export function patchSpec(name: string, face: PatchFace): ToolSpec {
  switch (face) {
    case 'freeform':
    case 'none':
      return freeform(name);
    case 'function':
      return asArgument(name);
    case 'structured':
      return asReplacement(name);
  }
}

const PURPOSE =
  'Changes files: adds, deletes, updates and moves them, all at once or, when something does not fit, not at all.';

/** What a patch looks like, for models that are not held to the grammar. */
const FORMAT = `A patch looks like this:

*** Begin Patch
*** Add File: path/of/new.txt
+every line of the new file
*** Update File: path/of/old.txt
*** Move to: path/of/renamed.txt
@@ def the_function_it_is_in
 a line that stays
-a line that goes
+a line that comes
*** Delete File: path/of/obsolete.txt
*** End Patch

"*** Move to" is optional. Give about three unchanged lines before and after each change; where that is not enough to say which place is meant, name the class or function above it on lines that begin with "@@ ". "*** End of File" after the lines says that they are the last ones. Paths are relative to the workspace.`;

function freeform(name: string): CustomSpec {
  return {
    kind: 'custom',
    name,
    description: `${PURPOSE} The input is the patch itself, as plain text; do not wrap it in JSON.`,
    grammar: { syntax: 'lark', text: GRAMMAR },
  };
}

function asArgument(name: string): FunctionSpec {
  const input = { type: 'string', description: 'The whole patch, from "*** Begin Patch" to "*** End Patch".' } as const;
  return functionSpec(name, `${PURPOSE}\n\n${FORMAT}`, allOf({ input }));
}

function asReplacement(name: string): FunctionSpec {
  const purpose = 'Changes one file: replaces a piece of its content by another one, or makes a new file.';
  return functionSpec(name, purpose, REPLACEMENT_PARAMETERS);
}

export const REPLACEMENT_PARAMETERS: ObjectSchema = allOf({
  file_path: { type: 'string', description: 'The file, relative to the workspace or absolute.' },
  original_content: {
    type: 'string',
    description:
      'What is to be replaced, exactly as it stands in the file, where it must occur once. Empty for a new file.',
  },
  updated_content: { type: 'string', description: 'What comes in its place.' },
});

function functionSpec(name: string, description: string, parameters: ObjectSchema): FunctionSpec {
  return { kind: 'function', name, description, parameters, strict: false };
}

function allOf(properties: ObjectSchema['properties']): ObjectSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const GRAMMAR = `start: begin operation+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
operation: add | delete | update
add: "*** Add File: " TEXT LF added+
delete: "*** Delete File: " TEXT LF
update: "*** Update File: " TEXT LF move? (place | line)* last?
move: "*** Move to: " TEXT LF
place: "@@" (" " TEXT)? LF
line: ("+" | "-" | " ") TEXT? LF
added: "+" TEXT? LF
last: "*** End of File" LF
TEXT: /[^\\n]+/
%import common.LF
`;
