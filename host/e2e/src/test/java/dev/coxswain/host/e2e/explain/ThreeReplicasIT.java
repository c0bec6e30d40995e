// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * One session with three replicas for all that needs them with a small shared limiter: first what needs slots that do
 * not move, last what kills a replica.
 */
@Order(1) // takes long
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init") // start() comes first
class ThreeReplicasIT {

  @TempDir private static Path folder;
  private static ThreeReplicas.Stage stage;

  @BeforeAll
  static void start() throws Exception {
    stage = ThreeReplicas.Stage.start(folder);
  }

  @AfterAll
  static void stop() {
    if (stage != null) {
      stage.close();
    }
  }

  @Nested
  @Order(1)
  class ManyRetries extends RetryMany {
    ManyRetries() throws IOException {
      super(stage);
    }
  }

  @Nested
  @Order(2)
  class Situations extends WhyNotReconciled {
    Situations() {
      super(stage);
    }
  }

  @Nested
  @Order(3)
  class Loss extends LostReplica {
    Loss() {
      super(stage);
    }
  }
}
