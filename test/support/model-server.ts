/** A scripted model of the test's own. */
import { onTestFinished } from 'vitest';

import { startScriptedModel } from '../../src/testing/index.js';
import type { ModelScript, ScriptedModel, ScriptedModelOptions } from '../../src/testing/index.js';

export async function scriptedModel(script: ModelScript, options?: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(script, options);
  onTestFinished(() => model.close());
  return model;
}
