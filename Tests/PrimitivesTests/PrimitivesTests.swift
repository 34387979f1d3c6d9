// PrimitivesTests
