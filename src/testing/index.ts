/** For tests of your own tools and of anything built on the runtime: no mocks, but small real parts. */
export { createMemoryWorkspace } from './memory-workspace.js';
export type { MemoryWorkspaceOptions, ScriptedProgram } from './memory-workspace.js';
export { recordEvents } from './record-events.js';
export type { EventRecord } from './record-events.js';
export { startScriptedModel } from './scripted-model.js';
export type { ScriptedModel, ScriptedModelOptions } from './scripted-model.js';
export type {
  ModelScript,
  ScriptedCall,
  ScriptedError,
  ScriptedFault,
  ScriptedRequest,
  ScriptedTurn,
  ScriptedUsage,
  StreamPosition,
} from './scripted-model-turn.js';
