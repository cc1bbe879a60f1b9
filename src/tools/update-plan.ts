/** Keeps the task list a person follows. Changes nothing but that list. */
import { array, describe, enum as oneOf, optional, strictObject, string } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { textOutput } from '../core/output.js';
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';

const STATUSES = ['pending', 'in_progress', 'completed'] as const;

export const updatePlan = defineTool({
  name: 'update_plan',
  description:
    'Records the plan for the task so that the user can follow it. Send the whole list every time. ' +
    'Keep at most one step in_progress, and mark steps completed as you finish them.',
  input: () =>
    strictObject({
      plan: array(
        strictObject({
          step: string().check(describe('What is to be done, in a few words.')),
          status: oneOf(STATUSES).check(describe('Where the step stands.')),
        }),
      ).check(describe('All steps in order.')),
      explanation: optional(string().check(describe('Why the plan changed, if it did.'))),
    }),
  advice:
    'For a task of several steps, keep a plan with update_plan and mark each step as soon as it is done. A small task ' +
    'needs none.',
  example: '{"plan": [{"step": "Read the code", "status": "in_progress"}]}',
  repair: repairSteps,
  intent: () => ({ effects: [] }),
  present: ({ plan }) => ({ title: `Update the plan (${plan.length} steps)` }),
  run({ plan, explanation }, scope) {
    scope.emit({ type: 'plan.updated', plan, explanation });
    return textOutput('Plan updated', { details: { plan } });
  },
});

/** Another tool set calls the list `steps` and a step's text `description`, and numbers the steps. */
function repairSteps(raw: JsonObject): JsonObject {
  const { steps, ...rest } = raw;
  if (!Array.isArray(steps) || 'plan' in raw) return raw;
  return { ...rest, plan: steps.map((step: unknown) => (isJsonObject(step) ? repairStep(step) : step)) };
}

function repairStep({ id, description, ...rest }: JsonObject): JsonObject {
  return { step: description ?? id, ...rest };
}
