// Parts of the editor that are loaded for what they do, and have no types of their own.
declare module "monaco-editor/editor/contrib/*";
