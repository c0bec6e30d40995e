// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One host and one browser for all that is tested with one replica: first what only looks, last what
 * ends the host.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Order(1) // takes long
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init") // start() comes first
class DashboardIT {

  @TempDir private static Path folder;
  private static Path plugins;
  private static DashboardRun shared;

  @BeforeAll
  static void start() throws Exception {
    plugins = Files.createDirectory(folder.resolve("plugins"));
    shared =
        DashboardRun.start(
            folder,
            "--examples",
            "--set=plugins.directory=" + plugins,
            "--set=plugins.scanInterval=200ms");
  }

  @AfterAll
  static void stop() throws Exception {
    if (shared != null) {
      shared.close();
    }
  }

  @Nested
  @Order(1)
  class Looks extends DashboardLooks {
    Looks() throws Exception {
      super(shared);
    }
  }

  @Nested
  @Order(2)
  class Lists extends DashboardLists {
    Lists() {
      super(shared);
    }
  }

  @Nested
  @Order(3)
  class Selected extends DashboardSelection {
    Selected() {
      super(shared);
    }
  }

  @Nested
  @Order(4)
  class Keys extends DashboardKeys {
    Keys() {
      super(shared);
    }
  }

  @Nested
  @Order(5)
  class SavedViews extends DashboardViews {
    SavedViews() {
      super(shared);
    }
  }

  @Nested
  @Order(6)
  class Pages extends DashboardPages {
    Pages() {
      super(shared);
    }
  }

  @Nested
  @Order(7)
  class Use extends DashboardUse {
    Use() {
      super(shared, folder);
    }
  }

  @Nested
  @Order(8)
  class Causes extends DashboardCauses {
    Causes() {
      super(shared);
    }
  }

  @Nested
  @Order(9)
  class Changes extends DashboardChanges {
    Changes() {
      super(shared);
    }
  }

  @Nested
  @Order(9)
  class TimeAxis extends DashboardTimeline {
    TimeAxis() {
      super(shared);
    }
  }

  @Nested
  @Order(10)
  class PluginPage extends DashboardPlugins {
    PluginPage() {
      super(shared, folder, plugins);
    }
  }

  @Nested
  @Order(11)
  class Outage extends DashboardOutage {
    Outage() {
      super(shared);
    }
  }

  @Nested
  @Order(12)
  class Faults extends DashboardFaults {
    Faults() {
      super(shared);
    }
  }
}
