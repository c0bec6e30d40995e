// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestNamesTest {

  @ParameterizedTest
  @CsvSource({
    "/api/v1/namespaces/a/configmaps/x, GET configmaps",
    "/api/v1/namespaces/a/configmaps, GET configmaps",
    "/api/v1/namespaces/a/pods/x/status, GET pods/status",
    "/api/v1/nodes/x, GET nodes",
    "/api/v1/namespaces/a, GET namespaces",
    "/api/v1/namespaces/a/status, GET namespaces/status",
    "/apis/apps/v1/namespaces/a/deployments/x/scale, GET deployments/scale",
    "/apis/apps/v1/deployments, GET deployments",
    "/version, GET",
    "/api/v1, GET",
    "/, GET"
  })
  void aRequest_hasANameOfWhichThereAreFew(String path, String name) {
    assertThat(RequestTracing.name("GET", List.of(path.substring(1).split("/", -1))))
        .isEqualTo(name);
  }
}
