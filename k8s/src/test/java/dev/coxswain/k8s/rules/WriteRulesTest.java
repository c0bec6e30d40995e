// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.rules;

import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaCall.Predicates;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.coxswain.k8s.client.ApiTransport;
import io.kubernetes.client.openapi.ApiClient;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;

/** All writes to the API server pass through the transport, which checks the guard. */
class WriteRulesTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.coxswain.k8s");

  private static final String CLIENTS = ApiTransport.class.getPackageName() + ".HttpClients";

  @Test
  void requests_areSentByTheTransportAlone() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(ApiTransport.class.getName())
        .and() // it makes them, and sends nothing: below
        .doNotHaveFullyQualifiedName(CLIENTS)
        .should()
        .callMethodWhere(
            Predicates.target(With.owner(JavaClass.Predicates.assignableTo(OkHttpClient.class))))
        .orShould()
        .callMethod(ApiClient.class, "buildCall")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("io.kubernetes.client.openapi.apis..")
        .check(CLASSES);
  }

  @Test
  void whatMakesTheHttpClients_sendsNothing() {
    noClasses()
        .that()
        .haveFullyQualifiedName(CLIENTS)
        .should()
        .callMethodWhere(Predicates.target(nameMatching("newCall|newWebSocket|execute|enqueue")))
        .check(CLASSES);
  }

  /** A sleeping thread cannot be stopped: wait for a condition, with a limit. */
  @Test
  void nothingSleeps() {
    noClasses()
        .should()
        .callMethodWhere(
            Predicates.target(nameMatching("sleep"))
                .and(Predicates.target(With.owner(JavaClass.Predicates.type(Thread.class)))))
        .check(CLASSES);
  }
}
