// Declares no functions; see CTestSettings.c.
